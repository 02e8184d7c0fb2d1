import { useLingui } from '@lingui/react/macro'
import type { Day } from '#domain/calendar.ts'
import { proposalReasonMinimum } from '#domain/operations.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useId, useReducer, useRef } from 'react'
import { previewOperation, proposeOperation } from '#contract/operations.ts'
import { asApiError } from '#web/api/api-error.ts'
import { call } from '#web/api/call.ts'
import { useRequestKeys } from '#web/api/request-keys.ts'
import { getProposalPath } from '#web/app/paths.ts'
import type { OperationKind } from '#domain/operations.ts'
import { isLongEnough, tidyText } from '#web/session/access-reason.ts'
import { useKeptTyped } from '#web/session/typed-entry.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Form, TextAreaField } from '#web/ui/field.tsx'
import { scrollInDialog } from '#web/ui/scroll-in-dialog.ts'
import { PreviewProgress, useBackgroundPreview } from './background-preview.tsx'
import { kindTexts } from './kind-texts.ts'
import { buildInput, selectFields, type Values } from './operation-fields.ts'
import { OperationField, type FieldChoices } from './operation-field.tsx'
import {
  getOperationPlace,
  isBusy,
  mayLeave,
  type OperationForm,
  operationReducer,
  proposalReasonMax,
  readTypedOperation,
  startForm,
} from './operation-form.ts'
import { readStalePreview, storeProposal } from './operations-queries.ts'
import { PreviewView } from './preview-view.tsx'
import { RefusalBanner, useFieldRefusal } from './refusal.tsx'

type OperationDialogProps = {
  kind: OperationKind
  /** Null for a kind that touches no loan. */
  lan: string | null
  /** Whether it is about a borrower, who then reads the reason. Absent: as the loan says. */
  hasBorrower?: boolean
  /** Who or what it is about. */
  subject: string
  /** What the fields begin with, and values without a field. */
  values: Values
  /** What can be chosen in fields that name a part of the loan. Absent: the kind has none. */
  choices?: FieldChoices
  /** The first day that can be chosen: that of the sanction. Absent: the kind touches no loan. */
  earliest?: Day
  onClose: () => void
}

const noChoices: FieldChoices = { charge: [], payment: [], tranche: [], reset: [] }

/** Proposes an operation of any kind: inputs and reason, the effect, then the proposal. */
export function OperationDialog({
  kind,
  lan,
  hasBorrower = lan !== null,
  subject,
  values,
  choices = noChoices,
  earliest,
  onClose,
}: OperationDialogProps) {
  const { t, i18n } = useLingui()
  const formId = useId()
  const { form, dispatch, submit } = useOperation(kind, lan, values)
  const mayClose = mayLeave(form)
  return (
    <Dialog
      open
      isBusy={!mayClose}
      holdsInput
      onClose={onClose}
      size="lg"
      title={i18n._(kindTexts[kind].name)}
      description={
        <p className="mb-4 text-muted">
          <b className="font-semibold text-ink">{subject}</b>
          <span className="block">{i18n._(kindTexts[kind].hint)}</span>
        </p>
      }
      actions={
        <>
          <Button variant="secondary" state={mayClose ? 'normal' : 'disabled'} onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button type="submit" form={formId} state={isBusy(form) ? 'loading' : form.error ? 'error' : 'normal'}>
            {form.preview === null ? t`Show the effect` : t`Propose`}
          </Button>
        </>
      }
    >
      <Form id={formId} className="space-y-4" refusal={useFieldRefusal(form.error)} onSubmit={() => void submit()}>
        <div className="grid gap-4 md:grid-cols-2">
          {selectFields(kind, form.values).map((field) => (
            <OperationField
              key={field.name}
              field={field}
              lan={lan}
              earliest={earliest}
              value={form.values[field.name] ?? ''}
              choices={choices}
              disabled={isBusy(form)}
              onChange={(text) => dispatch({ type: 'edited', name: field.name, text })}
            />
          ))}
        </div>
        <TextAreaField
          id="proposal-reason"
          label={t`Reason`}
          hint={hasBorrower ? t`Ticket or letter, and why. The borrower reads this.` : t`Ticket or letter, and why.`}
          problem={isLongEnough(form.reason, proposalReasonMinimum) ? null : t`Write at least ${proposalReasonMinimum} characters`}
          value={form.reason}
          maxLength={proposalReasonMax}
          disabled={isBusy(form)}
          onChange={(text) => dispatch({ type: 'reason_edited', text })}
        />
        <div role="alert">{form.error && <RefusalBanner error={form.error} />}</div>
        <PreviewProgress progress={form.progress} mayLeave={mayClose} />
      </Form>
      <FormPreview form={form} />
    </Dialog>
  )
}

/** The effect below the form; it is scrolled to when it appears. */
function FormPreview({ form: { preview, isRenewed } }: { form: OperationForm }) {
  const { t } = useLingui()
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    if (preview !== null) scrollInDialog(place.current)
  }, [preview])
  return (
    <div role="status">
      {preview !== null && (
        <section ref={place} aria-label={t`The effect`} className="mt-4 scroll-mt-2 border-t border-rule pt-4">
          <h3 className="mb-2 text-base">{t`The effect`}</h3>
          {isRenewed && (
            <Banner tone="caution" className="mb-3">
              {t`The figures have changed. Check the new ones, then propose again.`}
            </Banner>
          )}
          <PreviewView preview={preview} />
        </section>
      )}
    </div>
  )
}

/** The form's state, and its two calls. */
function useOperation(kind: OperationKind, lan: string | null, values: Values) {
  const client = useQueryClient()
  const router = useRouter()
  const place = getOperationPlace(kind, lan, values)
  const [form, dispatch] = useReducer(operationReducer, null, () => startForm(readTypedOperation(place) ?? { values, reason: '' }))
  useKeptTyped(place, { values: form.values, reason: form.reason })
  const untilComputed = useBackgroundPreview((progress) => dispatch({ type: 'progressed', progress }))
  const keys = useRequestKeys()

  async function submit() {
    const input = buildInput(kind, form.values)
    if (input === null || isBusy(form)) return
    const operation = { kind, input, ...(lan !== null && { lan }) }
    dispatch({ type: 'submitted' })
    try {
      if (form.preview === null) {
        dispatch({ type: 'previewed', preview: await untilComputed(() => call(previewOperation, { body: operation })) })
        return
      }
      const body = { ...operation, reason: tidyText(form.reason), preview_hash: form.preview.preview_hash }
      const idempotencyKey = keys.keyOf(JSON.stringify(body))
      const { proposal } = await untilComputed(() => call(proposeOperation, { body }, { idempotencyKey }))
      storeProposal(client, proposal)
      router.history.push(getProposalPath(proposal.id))
    } catch (cause) {
      keys.settle(cause)
      dispatch({ type: 'failed', error: asApiError(cause), preview: readStalePreview(cause) })
    }
  }
  return { form, dispatch, submit }
}
