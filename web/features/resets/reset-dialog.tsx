import { useLingui } from '@lingui/react/macro'
import { Suspense, useId, useReducer, useState } from 'react'
import type { RateReset } from '#contract/rate-resets.ts'
import { asApiError } from '#web/api/api-error.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import type { RateResetsProps } from '#web/loan/autopay.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Form } from '#web/ui/field.tsx'
import { formatDay } from '#web/ui/format.ts'
import { ClosedReset, ResetConfirmation, ResetFailure } from './reset-confirmation.tsx'
import { ResetCurves } from './reset-curves.tsx'
import {
  awaitsFigures,
  checkInstalment,
  findBounds,
  resetFormReducer,
  selectReadyOption,
  startResetForm,
  type InstalmentCheck,
  type ResetForm,
  type ResetFormEvent,
  type ResetOption,
} from './reset-form.ts'
import { InstalmentField, useInstalmentProblem } from './instalment-field.tsx'
import { ResetOptions } from './reset-options.tsx'
import { useChooseReset, useResetOptions } from './reset-queries.ts'

type ResetDialogProps = Pick<RateResetsProps, 'loan' | 'RenewMandate'> & {
  reset: RateReset
  onClose: () => void
  onChosen: () => void
  findFinalFocus: () => HTMLElement | null
}

/** Compares what a new rate can change, and chooses one of it after a confirmation. */
export function ResetDialog({ loan, reset, RenewMandate, onClose, onChosen, findFinalFocus }: ResetDialogProps) {
  const { t } = useLingui()
  const language = useLanguage()
  const formId = useId()
  const permission = usePermission('loan:update')
  const [form, dispatch] = useReducer(resetFormReducer, reset, startResetForm)
  const bounds = findBounds(reset)
  const check = bounds && checkInstalment(form.text, bounds)
  const { shown, failure } = useResetOptions(loan, reset, check?.isValid ? check.instalment : null)
  const choose = useChooseReset(loan, reset)
  const ready = selectReadyOption(form, shown)
  const awaited = awaitsFigures(form, shown)
  const selected = shown.options.find(({ option }) => option === form.option) ?? null
  const [hadMandate] = useState(reset.mandate_cap !== null)
  const { from, to } = reset
  const [day, until] = [formatDay(reset.effective_on, language), formatDay(reset.choose_until, language)]

  const send = () => {
    if (ready === null || shown.preview_hash === null || form.step !== 'confirming') return
    dispatch({ type: 'submitted' })
    const instalment = ready.option === 'between' ? { instalment: ready.instalment } : {}
    choose.mutate(
      { option: ready.option, ...instalment, preview_hash: shown.preview_hash },
      {
        onSuccess: onChosen,
        onError: (cause) => dispatch({ type: 'failed', error: asApiError(cause) }),
      },
    )
  }

  if (form.step === 'closed' || shown.preview_hash === null) return <ClosedReset reset={reset} error={form.error} onClose={onClose} />
  return (
    <>
      <Dialog
        open={form.step === 'comparing'}
        holdsInput
        onClose={onClose}
        findFinalFocus={findFinalFocus}
        size="lg"
        title={t`Your new interest rate`}
        description={
          <p className="mb-4 text-muted">
            {t`From ${day} your rate is ${to}% instead of ${from}%. Compare what that changes, and choose by ${until}.`}
          </p>
        }
        actions={
          <>
            <Button variant="secondary" onClick={onClose}>{t`Cancel`}</Button>
            <ActionButton
              type="submit"
              form={formId}
              permission={permission}
              state={!awaited ? 'normal' : failure === null || failure.isRetrying ? 'loading' : 'disabled'}
              className="max-md:w-full"
            >
              {t`Continue`}
            </ActionButton>
          </>
        }
      >
        <Form
          id={formId}
          className="space-y-5"
          onSubmit={() => ready !== null && permission === 'allowed' && dispatch({ type: 'continued' })}
        >
          <ResetComparison
            reset={shown}
            form={form}
            bounds={bounds}
            check={check}
            failure={failure}
            selected={selected}
            dispatch={dispatch}
          />
        </Form>
        {/* Outside the form, because it opens other forms. It stays when the mandate has ended. */}
        {hadMandate && selected !== null && (
          <div className="mt-5">
            <Suspense>
              <RenewMandate loan={loan} instalment={selected.instalment} />
            </Suspense>
          </div>
        )}
      </Dialog>
      <ResetConfirmation
        reset={shown}
        option={ready}
        form={form}
        permission={permission}
        onConfirm={send}
        onCancel={() => dispatch({ type: 'went_back' })}
      />
    </>
  )
}

type ResetComparisonProps = {
  /** With the figures of the typed EMI. */
  reset: RateReset
  form: ResetForm
  bounds: ReturnType<typeof findBounds>
  check: InstalmentCheck | null
  failure: ReturnType<typeof useResetOptions>['failure']
  selected: ResetOption | null
  dispatch: (event: ResetFormEvent) => void
}

/** What the new rate can change, and what the selected option changes. */
function ResetComparison({ reset, form, bounds, check, failure, selected, dispatch }: ResetComparisonProps) {
  const { t } = useLingui()
  const problem = useInstalmentProblem(check, bounds)
  return (
    <>
      {form.isRenewed && (
        <Banner
          tone="caution"
          live="alert"
        >{t`Your loan has changed, so the figures have too. Check the new ones, then choose again.`}</Banner>
      )}
      {form.error && <ResetFailure error={form.error} />}
      <ResetOptions reset={reset} chosen={form.option} onChoose={(option) => dispatch({ type: 'option_chosen', option })} />
      {form.option === 'between' && bounds !== null && (
        <InstalmentField
          text={form.text}
          bounds={bounds}
          problem={problem}
          failure={failure}
          onChange={(text) => dispatch({ type: 'typed', text })}
        />
      )}
      {selected !== null && reset.unchanged !== null && <ResetCurves reset={reset} unchanged={reset.unchanged} option={selected} />}
    </>
  )
}
