import { useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useReducer, useRef } from 'react'
import type { User } from '#contract/auth.ts'
import { ApiError } from '#web/api/api-error.ts'
import { getFailureText } from '#web/app/loading/failure-text.ts'
import { paths } from '#web/app/paths.ts'
import { accessCategoryText } from '#web/session/access-category-text.ts'
import { accessCategories, reasonTextMax, reasonTextMin, writeReason } from '#web/session/access-reason.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { startAssuming } from '#web/session/assuming.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { ChoiceField } from '#web/ui/choice-field.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { TextAreaField } from '#web/ui/field.tsx'
import { formatPhone } from '#web/ui/format.ts'
import { type AssumeForm, assumeReducer, emptyForm, isReasonGiven } from './assume-form.ts'
import { rememberPosition } from './list-position.ts'
import { getFirstName, getName } from './users.ts'

type AssumeDialogProps = { borrower: User; open: boolean; onClose: () => void }

/**
 * Asks for the reason, then assumes the borrower and opens their portal. Each opening mounts a new
 * dialog.
 */
export function AssumeDialog({ borrower, open, onClose }: AssumeDialogProps) {
  const { t } = useLingui()
  const router = useRouter()
  const [form, dispatch] = useReducer(assumeReducer, emptyForm)
  const isSubmitting = form.step === 'submitting'
  const name = getName(borrower)
  const firstName = getFirstName(borrower)

  async function submit() {
    dispatch({ type: 'submitted' })
    if (isSubmitting || !isReasonGiven(form) || form.category === null) return
    // Before the session changes: then the list is read anew.
    rememberPosition(router.history.location.href, borrower.user_id)
    try {
      await startAssuming(borrower, writeReason(form.category, form.text))
      router.history.push(paths.index)
    } catch (cause) {
      dispatch({ type: 'failed', error: cause instanceof ApiError ? cause : new ApiError({ kind: 'server_error', cause }) })
    }
  }

  return (
    <Dialog
      open={open}
      onClose={() => !isSubmitting && onClose()}
      title={t`Log in as ${name}?`}
      description={
        <p className="text-muted">
          {getPortalConfig().assume_profile === 'view' ? t`You may look, not change.` : t`You will see and do what this borrower can.`}{' '}
          {t`It lasts 30 minutes at most. The borrower can see the time, the reason and what was done in their profile.`}
        </p>
      }
      actions={
        <>
          <Button variant="secondary" state={isSubmitting ? 'disabled' : 'normal'} onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button state={isSubmitting ? 'loading' : form.error ? 'error' : 'normal'} onClick={() => void submit()}>
            {t`Log in as ${firstName}`}
          </Button>
        </>
      }
    >
      <BorrowerFacts borrower={borrower} />
      <ReasonFields form={form} dispatch={dispatch} />
      <div role="alert">{form.error && <AssumeFailure error={form.error} />}</div>
    </Dialog>
  )
}

function ReasonFields({ form, dispatch }: { form: AssumeForm; dispatch: React.Dispatch<Parameters<typeof assumeReducer>[1]> }) {
  const { t, i18n } = useLingui()
  const text = useRef<HTMLTextAreaElement>(null)
  const { missing } = form
  useEffect(() => {
    if (missing.text && !missing.category) text.current?.focus()
  }, [missing])
  return (
    <div className="space-y-4">
      <ChoiceField
        legend={t`What is it about?`}
        options={accessCategories.map((value) => ({ value, label: i18n._(accessCategoryText[value]) }))}
        value={form.category}
        onChange={(category) => dispatch({ type: 'category_chosen', category })}
        error={missing.category ? t`Choose what it is about` : null}
      />
      <TextAreaField
        ref={text}
        id="reason"
        label={t`Reason`}
        hint={t`Ticket number and what the borrower asked for. The borrower reads this.`}
        error={missing.text ? t`Write at least ${reasonTextMin} characters` : null}
        value={form.text}
        maxLength={reasonTextMax}
        disabled={form.step === 'submitting'}
        onChange={(value) => dispatch({ type: 'text_edited', text: value })}
      />
    </div>
  )
}

function AssumeFailure({ error }: { error: ApiError }) {
  const { t, i18n } = useLingui()
  const isGone = error.code === 'NotFound'
  return (
    <Banner tone="danger" className="mt-4">
      {isGone ? t`This account cannot be opened: it may have been closed. Search again.` : i18n._(getFailureText(error))}
    </Banner>
  )
}

/** Distinguishes borrowers with the same name. */
function BorrowerFacts({ borrower }: { borrower: User }) {
  const { t } = useLingui()
  const facts = [
    { label: t`Phone`, value: borrower.phone && formatPhone(borrower.phone) },
    { label: t`PAN`, value: borrower.pan },
  ]
  return (
    <dl className="my-4 grid grid-cols-2 gap-4">
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt className="text-sm text-muted">{label}</dt>
          <dd className="font-semibold wrap-anywhere tabular-nums">{value || t`Not given`}</dd>
        </div>
      ))}
    </dl>
  )
}
