import { useLingui } from '@lingui/react/macro'
import type { RateReset } from '#contract/rate-resets.ts'
import { rupeesToPaise } from '#domain/money.ts'
import type { ApiError } from '#web/api/api-error.ts'
import { getFailureText } from '#web/app/loading/failure-text.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import type { PermissionAnswer } from '#web/ui/action-state.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { ConfirmDialog, Dialog } from '#web/ui/dialog.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import type { ResetForm, ResetOption } from './reset-form.ts'
import { OptionOutcome } from './reset-options.tsx'
import { choiceText } from './reset-texts.ts'

type ResetConfirmationProps = {
  reset: RateReset
  option: ResetOption | null
  form: ResetForm
  permission: PermissionAnswer
  onConfirm: () => void
  onCancel: () => void
}

/** Asks before the choice is sent, with the figures that it is about. */
export function ResetConfirmation({ reset, option, form, permission, onConfirm, onCancel }: ResetConfirmationProps) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const isOpen = form.step === 'confirming' || form.step === 'sending'
  if (option === null) return null
  const { to } = reset
  const [day, until] = [formatDay(reset.effective_on, language), formatDay(reset.choose_until, language)]
  const emi = formatMoney(option.instalment)
  const name = i18n._(choiceText[option.option])
  const amount = option.amount === undefined ? null : formatMoney(option.amount)
  return (
    <ConfirmDialog
      open={isOpen}
      title={t`Choose ‘${name}’?`}
      confirmLabel={t`Choose this`}
      cancelLabel={t`Back`}
      confirmVariant="primary"
      confirmPermission={permission}
      pending={form.step === 'sending'}
      error={form.error && i18n._(getFailureText(form.error))}
      onConfirm={onConfirm}
      onCancel={onCancel}
    >
      <p className="mb-3">
        {t`With the rate of ${to}% from ${day}, your EMI will be ${emi}. You can choose something else until ${until}.`}
        {amount !== null && ` ${t`Then pay ${amount} as a part payment: what you do not pay makes the loan longer.`}`}
      </p>
      <OptionOutcome option={option} unchanged={reset.unchanged} />
    </ConfirmDialog>
  )
}

/** Why an option was refused; the figures on the page are newer then. */
export function ResetFailure({ error }: { error: ApiError }) {
  const { t } = useLingui()
  const { bounds } = error.problem ?? {}
  const rupees = (amount: number) => formatMoney(rupeesToPaise(amount))
  const [min, max] = bounds ? [rupees(bounds.minimum), rupees(bounds.maximum)] : ['', '']
  return (
    <Banner tone="danger" live="alert">
      {bounds
        ? t`This EMI is no longer possible. It must be in whole rupees from ${min} to ${max}.`
        : t`This choice is no longer on offer. Choose another one.`}
    </Banner>
  )
}

/** Nothing can be chosen any more: the last day is over, or the lender withdrew the new rate. */
export function ClosedReset({ reset, error, onClose }: { reset: RateReset; error: ApiError | null; onClose: () => void }) {
  const { t } = useLingui()
  const language = useLanguage()
  const until = formatDay(reset.choose_until, language)
  let text = t`Nothing can be chosen for this new rate any more. Your loan page shows what applies.`
  const isGone = error?.code === 'NotFound' || reset.state === 'withdrawn'
  if (error?.code === 'NotFound') text = t`This change of the rate does not exist. Open your loan again.`
  else if (reset.state === 'withdrawn') text = t`Your lender has withdrawn this change of the rate. Nothing changes for you.`
  else if (reset.state === 'effective') text = t`The last day to choose was ${until}. What was announced applies.`
  return (
    <Dialog
      open
      onClose={onClose}
      title={isGone ? t`Nothing to choose` : t`Too late to choose`}
      actions={<Button onClick={onClose}>{t`Close`}</Button>}
    >
      <Banner tone="caution" live="alert">
        {text}
      </Banner>
    </Dialog>
  )
}
