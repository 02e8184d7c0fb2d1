import { Trans, useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { HowComputed } from '#web/loan/explained-figure.tsx'
import { DuesComputed } from '../dues-computed.tsx'
import { Money, SumTable } from '#web/loan/money.tsx'
import { Card } from '#web/ui/card.tsx'
import { formatMoney } from '#web/ui/format.ts'
import { optionText } from '../option-text.ts'
import { type PaymentOption, principalAfter } from './payment-options.ts'

/** What the selected amount pays, as a checkable addition. */
export function PaymentCovers({ loan, option }: { loan: Loan; option: PaymentOption | null }) {
  const { t, i18n } = useLingui()
  if (option === null || !option.isOffered) return null
  if (option.kind === 'part_payment') return <PartPaymentCovers />

  const amount = formatMoney(option.amount)
  const { principal, interest, charges, tax } = option.parts
  const rate = loan.interest_rate
  const left = principalAfter(loan.principal_outstanding, option)
  const showCharges = charges > 0n || option.kind === 'foreclosure'
  const title = i18n._(optionText[option.kind])
  return (
    <Card labelledBy="payment-covers">
      <h2 id="payment-covers" className="mb-2">{t`What ${amount} covers`}</h2>
      <SumTable
        caption={title}
        lines={[
          { label: t`Principal`, amount: principal },
          {
            label: (
              <Trans>
                Interest <span className="text-muted">at {rate}% a year</span>
              </Trans>
            ),
            amount: interest,
          },
          ...(showCharges ? [{ label: charges > 0n ? <Charges /> : t`Charges`, amount: charges }] : []),
          ...(tax > 0n ? [{ label: t`GST on charges`, amount: tax }] : []),
        ]}
        total={{ label: title, amount: option.amount }}
      />
      {left !== null && (
        <p className="mt-3 text-sm text-muted">
          <Trans>
            Principal outstanding after this payment: <Money amount={left} className="font-semibold text-ink" />
          </Trans>
        </p>
      )}
      <div className="-mb-3 mt-1">
        <OptionComputed key={option.kind} loan={loan} kind={option.kind} />
      </div>
    </Card>
  )
}

/**
 * How the overdue amount with its days late, or the payoff amount, is computed. The next EMI is
 * explained in its row of the schedule.
 */
function OptionComputed({ loan, kind }: { loan: Loan; kind: 'overdue' | 'next_emi' | 'foreclosure' }) {
  const { t } = useLingui()
  if (kind === 'next_emi') return null
  if (kind === 'foreclosure') return <HowComputed loan={loan} figures={[{ what: 'foreclosure', name: t`Foreclosure` }]} />
  return <DuesComputed loan={loan} />
}

function Charges() {
  const { t } = useLingui()
  return (
    <>
      {t`Charges`}
      <span className="block text-muted">{t`Fixed; no interest on them`}</span>
    </>
  )
}

function PartPaymentCovers() {
  const { t } = useLingui()
  return (
    <Card labelledBy="payment-covers">
      <h2 id="payment-covers" className="mb-2">{t`What a part payment does`}</h2>
      <p className="text-sm text-muted">
        {t`Amounts due are settled first; the rest reduces your principal at once. You choose whether your EMI or your tenor is reduced.`}
      </p>
    </Card>
  )
}
