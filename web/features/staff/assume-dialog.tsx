import { useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { useId, useReducer, useState } from 'react'
import type { User } from '#contract/auth.ts'
import { type ApiError, asApiError } from '#web/api/api-error.ts'
import { getFailureText } from '#web/app/loading/failure-text.ts'
import { paths } from '#web/app/paths.ts'
import { accessCategoryText } from '#web/session/access-category-text.ts'
import { accessCategories, isLongEnough, reasonTextMax, reasonTextMin, writeReason } from '#web/session/access-reason.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { startAssuming } from '#web/session/assuming.ts'
import { leaveStaffList } from '#web/session/staff-list.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { ChoiceField } from '#web/ui/choice-field.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Form, TextAreaField } from '#web/ui/field.tsx'
import { formatPhone } from '#web/ui/format.ts'
import { type AssumeForm, assumeReducer, emptyForm } from './assume-form.ts'
import { readPosition } from './list-position.ts'
import { getFirstName, getName } from './users.ts'

/**
 * Asks for the reason, then assumes the borrower and opens their portal. Each opening mounts a new
 * dialog.
 */
export function AssumeDialog({ borrower }: { borrower: User }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(true)
  const close = (): void => setOpen(false)
  const router = useRouter()
  const formId = useId()
  const [form, dispatch] = useReducer(assumeReducer, emptyForm)
  const isSubmitting = form.step === 'submitting'
  const name = getName(borrower)
  const firstName = getFirstName(borrower)

  async function submit() {
    if (isSubmitting || form.category === null) return
    dispatch({ type: 'submitted' })
    const { pathname, href } = router.history.location
    // Before the session changes: then the list is read anew.
    const position = readPosition(href, borrower.user_id)
    try {
      await startAssuming(borrower, writeReason(form.category, form.text))
      // From a page of operations the way back leads to the list as it was left before.
      if (pathname === paths.users) leaveStaffList(position)
      router.history.push(paths.index)
    } catch (cause) {
      dispatch({ type: 'failed', error: asApiError(cause) })
    }
  }

  return (
    <Dialog
      open={isOpen}
      isBusy={isSubmitting}
      holdsInput
      onClose={close}
      title={t`Sign in as ${name}?`}
      description={
        <p className="text-muted">
          {getPortalConfig().assume_profile === 'view'
            ? t`View-only access: you cannot change anything.`
            : t`You will see what this borrower sees, and can do the same except autopay.`}{' '}
          {t`It lasts 30 minutes at most. The borrower can see the time, the reason and what was done in their profile.`}
        </p>
      }
      actions={
        <>
          <Button variant="secondary" state={isSubmitting ? 'disabled' : 'normal'} onClick={close}>
            {t`Cancel`}
          </Button>
          <Button type="submit" form={formId} state={isSubmitting ? 'loading' : form.error ? 'error' : 'normal'}>
            {t`Sign in as ${firstName}`}
          </Button>
        </>
      }
    >
      <BorrowerFacts borrower={borrower} />
      <Form id={formId} className="space-y-4" onSubmit={() => void submit()}>
        <ReasonFields form={form} dispatch={dispatch} />
      </Form>
      <div role="alert">{form.error && <AssumeFailure error={form.error} />}</div>
    </Dialog>
  )
}

function ReasonFields({ form, dispatch }: { form: AssumeForm; dispatch: React.Dispatch<Parameters<typeof assumeReducer>[1]> }) {
  const { t, i18n } = useLingui()
  return (
    <>
      <ChoiceField
        legend={t`What is it about?`}
        options={accessCategories.map((value) => ({ value, label: i18n._(accessCategoryText[value]) }))}
        value={form.category}
        onChange={(category) => dispatch({ type: 'category_chosen', category })}
        problem={form.category === null ? t`Choose a subject` : null}
      />
      <TextAreaField
        id="reason"
        label={t`Reason`}
        hint={t`Ticket number and what the borrower asked for. The borrower reads this.`}
        problem={isLongEnough(form.text, reasonTextMin) ? null : t`Write at least ${reasonTextMin} characters`}
        value={form.text}
        maxLength={reasonTextMax}
        disabled={form.step === 'submitting'}
        onChange={(value) => dispatch({ type: 'text_edited', text: value })}
      />
    </>
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
          <dd className="font-semibold wrap-anywhere tabular-nums">{value || t`Not provided`}</dd>
        </div>
      ))}
    </dl>
  )
}
