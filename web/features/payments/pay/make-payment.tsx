import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { PaymentLink } from '#contract/payments.ts'
import type { Schedule } from '#web/loan/loan-queries.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { OptionGroup } from '#web/ui/option-card.tsx'
import { PartPaymentDialog } from '../part-payment/part-payment-dialog.tsx'
import { type PaymentOptionKind, selectDefaultOption } from '../payments-controller.ts'
import type { Payments } from '../use-payments.ts'
import { BalanceOverTime } from './balance-over-time.tsx'
import { PayBar } from './pay-bar.tsx'
import { PaymentCovers } from './payment-covers.tsx'
import { PaymentOptionCard } from './payment-option-card.tsx'
import { isPayable, listPaymentOptions, purposeOf } from './payment-options.ts'

type MakePaymentProps = { loan: Loan; schedule: Schedule; link: PaymentLink | null; payments: Payments }

/** The payment options, what the selected one covers, and the button. */
export function MakePayment({ loan, schedule, link, payments }: MakePaymentProps) {
  const { t } = useLingui()
  const options = listPaymentOptions(schedule.allowed_payments)
  const [chosen, setChosen] = useState<PaymentOptionKind | null>(null)
  const [isChoosingAmount, setIsChoosingAmount] = useState(false)
  const wanted = chosen ?? selectDefaultOption(schedule.allowed_payments)
  const selected = options.find((option) => option.kind === wanted) ?? null
  const { create } = payments

  const choose = (kind: PaymentOptionKind): void => {
    setChosen(kind)
    create.reset()
  }
  const press = (): void => {
    if (selected === null || !isPayable(selected)) return
    if (selected.kind === 'part_payment') setIsChoosingAmount(true)
    else payments.pay({ purpose: purposeOf[selected.kind], amount: selected.amount })
  }

  return (
    <div className="grid items-start gap-4 md:gap-5 lg:grid-cols-[minmax(0,1.55fr)_minmax(0,1fr)] lg:has-[>div:empty]:grid-cols-1 print:hidden">
      <Card labelledBy="make-payment">
        <CardHead
          id="make-payment"
          title={t`Make a payment`}
          subtitle={t`You pay on Razorpay’s secure page. Money goes straight to your lender.`}
        />
        {link && (
          <Banner tone="caution" icon="lock" className="mb-4">
            {t`New payments are blocked until the pending one is finished or cancelled.`}
          </Banner>
        )}
        <OptionGroup legend={t`What do you want to pay?`}>
          {options.map((option) => (
            <PaymentOptionCard
              key={option.kind}
              option={option}
              schedule={schedule}
              checked={!link && selected?.kind === option.kind}
              disabled={link !== null || create.isPending}
              onSelect={choose}
            />
          ))}
        </OptionGroup>
        {!link && <PayBar selected={selected} payments={payments} onPress={press} />}
      </Card>
      <div className="flex flex-col gap-4 empty:hidden md:gap-5">
        <PaymentCovers loan={loan} option={selected} />
        <BalanceOverTime loan={loan} rows={schedule.repayment_schedule} />
      </div>
      {/* Mounted when opened, so that it starts from the minimum each time. */}
      {isChoosingAmount && selected?.kind === 'part_payment' && (
        <PartPaymentDialog
          loan={loan}
          range={selected}
          onClose={() => setIsChoosingAmount(false)}
          onConfirm={(payment) => {
            setIsChoosingAmount(false)
            payments.pay(payment)
          }}
        />
      )}
    </div>
  )
}
