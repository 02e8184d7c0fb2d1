import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Collection } from '#contract/autopay.ts'
import type { Loan } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { DayText } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { formatDay, formatInstant, formatMoney } from '#web/ui/format.ts'
import { useSkipDebit } from './autopay-queries.ts'
import type { DebitObstacle } from './autopay-state.ts'
import { getRefusalText } from './autopay-texts.ts'
import { DebitCovers } from './debit-covers.tsx'
import { findFinalFocus } from './final-focus.ts'

function Amount({ title, debit }: { title: string; debit: Collection }) {
  return (
    <>
      <p className="text-sm text-muted">{title}</p>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <Money amount={debit.amount} size="md" />
        <span className="text-sm">
          <Trans>
            on <DayText day={debit.debit_on} className="font-semibold" />
          </Trans>
        </span>
      </p>
    </>
  )
}

/** The debit that is planned; its amount can change until it is announced. */
export function NextDebit({ loan, debit }: { loan: Loan; debit: Collection | null }) {
  const { t } = useLingui()
  if (debit === null && loan.loan_status === 'OVERDUE')
    return <p className="text-sm">{t`No debit is planned. Pay what is due yourself.`}</p>
  if (debit === null) return <p className="text-sm">{t`No debit is planned: nothing is left to pay now, or the next EMI is not known.`}</p>
  return (
    <div>
      <Amount title={t`Next debit`} debit={debit} />
      <p className="mt-1 text-sm text-muted">{t`You get the exact amount two days before. What you pay yourself until then is not debited again.`}</p>
    </div>
  )
}

type AnnouncedProps = { loan: Loan; debit: Collection; obstacle: DebitObstacle | null }

/** An announced debit, which the borrower may skip. */
export function Announced({ loan, debit, obstacle }: AnnouncedProps) {
  const { t } = useLingui()
  return (
    <div>
      <div className="flex flex-col gap-3 md:flex-row md:items-start md:justify-between">
        <div>
          <Amount title={obstacle === 'loan_checked' ? t`Next debit` : t`Will be debited`} debit={debit} />
          <p className="mt-1 text-sm text-muted">{useAnnouncedText(debit, obstacle)}</p>
        </div>
        {debit.skip_until !== null && <Skip debit={debit} />}
      </div>
      <DebitCovers loan={loan} debit={debit} />
    </div>
  )
}

/** What happens to an announced debit. The server presents none that has an obstacle. */
function useAnnouncedText({ skip_until: skipUntil }: Collection, obstacle: DebitObstacle | null): string {
  const { t } = useLingui()
  const language = useLanguage()
  if (obstacle === 'loan_checked') return t`Nothing is debited while your lender checks this loan.`
  if (obstacle === 'link_open') return t`The debit waits while a payment is pending. What you pay is not debited again.`
  if (skipUntil === null) return t`It can no longer be skipped: the debit begins within the hour.`
  const until = formatInstant(skipUntil, language)
  return t`Keep the money in your account. You can skip it until ${until}.`
}

function Skip({ debit }: { debit: Collection }) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const permission = usePermission('mandate:update')
  const skip = useSkipDebit()
  const [isAsking, setIsAsking] = useState(false)
  const [amount, day] = [formatMoney(debit.amount), formatDay(debit.debit_on, language)]
  const ask = (): void => {
    skip.reset()
    setIsAsking(true)
  }
  return (
    <div className="flex-none">
      <ActionButton variant="secondary" permission={permission} className="max-md:w-full" onClick={ask}>
        {t`Skip this one`}
      </ActionButton>
      <ConfirmDialog
        open={isAsking}
        title={t`Skip the debit of ${amount}?`}
        confirmLabel={t`Skip this one`}
        cancelLabel={t`Keep it`}
        pending={skip.isPending}
        error={skip.error && i18n._(getRefusalText(skip.error))}
        findFinalFocus={() => findFinalFocus(skip)}
        onConfirm={() => skip.mutate(debit, { onSuccess: () => setIsAsking(false) })}
        onCancel={() => setIsAsking(false)}
      >
        <p>{t`Nothing will be debited on ${day}. The instalment stays due: pay it yourself by then to avoid a late charge. This cannot be undone.`}</p>
      </ConfirmDialog>
    </div>
  )
}

/** A presented debit whose outcome is not known yet. */
export function InProgress({ debit }: { debit: Collection }) {
  const { t } = useLingui()
  const language = useLanguage()
  const by = debit.expected_by === null ? null : formatInstant(debit.expected_by, language)
  return (
    <>
      <Amount title={t`Being debited`} debit={debit} />
      <Banner tone="info" icon="clock" className="mt-3">
        {by === null
          ? t`Your bank has not told us the outcome yet. Until it does, you cannot pay it yourself, so that nothing is paid twice. No late charge arises meanwhile for what is being debited. This page updates on its own.`
          : `${t`Your bank tells us the outcome by ${by}.`} ${t`Until then you cannot pay it yourself, so that nothing is paid twice. No late charge arises meanwhile for what is being debited. This page updates on its own.`}`}
      </Banner>
    </>
  )
}
