import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { PaymentLink } from '#contract/payments.ts'
import { getLoanTabPath, partPaymentSearch } from '#web/app/paths.ts'
import { useTextParameter } from '#web/app/use-text-parameter.ts'
import type { Schedule } from '#web/loan/loan-queries.ts'
import { readPartPaymentEntry } from '#web/loan/part-payment-entry.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { createLazyPart, usePreloadWhenIdle } from '#web/ui/lazy-part.tsx'
import { OptionGroup } from '#web/ui/option-card.tsx'
import { type PaymentOptionKind, selectDefaultOption } from '../payments-controller.ts'
import type { Payments } from '../use-payments.ts'
import { BalanceOverTime } from './balance-over-time.tsx'
import { BankTransfer } from './bank-transfer.tsx'
import { PayBar } from './pay-bar.tsx'
import { PaymentCovers } from './payment-covers.tsx'
import { PaymentOptionCard } from './payment-option-card.tsx'
import { isPayable, listPaymentOptions, purposeOf, sortByOffer } from './payment-options.ts'

const PartPaymentDialog = createLazyPart(async () => (await import('../part-payment/part-payment-dialog.tsx')).PartPaymentDialog)

type MakePaymentProps = { loan: Loan; schedule: Schedule; link: PaymentLink | null; payments: Payments }

/** The payment options, what the selected one covers, and the button. */
export function MakePayment({ loan, schedule, link, payments }: MakePaymentProps) {
  const { t } = useLingui()
  const options = listPaymentOptions(schedule.allowed_payments)
  const part = options.find((option) => option.kind === 'part_payment' && option.isOffered) ?? null
  usePreloadWhenIdle(PartPaymentDialog)
  // Asked for by the address, or open when the tab was reloaded.
  const isAskedFor = useIsPartPaymentAsked()
  const [isChoosingAmount, setIsChoosingAmount] = useState(
    () => part !== null && link === null && (isAskedFor || readPartPaymentEntry(loan.lan) !== null),
  )
  const [chosen, setChosen] = useState<PaymentOptionKind | null>(isChoosingAmount ? 'part_payment' : null)
  const wanted = chosen ?? selectDefaultOption(schedule.allowed_payments)
  const selected = options.find((option) => option.kind === wanted) ?? null
  const { create } = payments

  const choose = (kind: PaymentOptionKind): void => {
    setChosen(kind)
    create.reset()
  }
  const closeDialog = (): void => setIsChoosingAmount(false)
  // A link of another tab or device, or one that a failed attempt left behind, ends the choice.
  if (link !== null && isChoosingAmount) closeDialog()
  const press = (): void => {
    if (selected === null || !isPayable(selected)) return
    if (selected.kind === 'part_payment') {
      create.reset()
      setIsChoosingAmount(true)
    } else payments.pay({ purpose: purposeOf[selected.kind], amount: selected.amount })
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
          {(link ? options : sortByOffer(options)).map((option) => (
            <PaymentOptionCard
              key={option.kind}
              option={option}
              schedule={schedule}
              checked={!link && selected?.kind === option.kind}
              disabled={create.isPending}
              isBlocked={link !== null}
              onSelect={choose}
            />
          ))}
        </OptionGroup>
        {!link && selected?.kind === 'foreclosure' && selected.isLimited && <BankTransfer loan={loan} />}
        {!link && <PayBar selected={selected} payments={payments} onPress={press} />}
      </Card>
      <div className="flex flex-col gap-4 empty:hidden md:gap-5">
        {!link && <PaymentCovers loan={loan} option={selected} />}
        <BalanceOverTime loan={loan} rows={schedule.repayment_schedule} />
      </div>
      {/* Mounted when opened: closed and opened again, it starts from the minimum. */}
      {isChoosingAmount && selected?.kind === 'part_payment' && (
        <Suspense>
          <PartPaymentDialog
            loan={loan}
            range={selected}
            create={create}
            onClose={closeDialog}
            onConfirm={(payment) => payments.pay(payment, closeDialog)}
          />
        </Suspense>
      )}
    </div>
  )
}

/** Whether the address asks for a part payment; the address then becomes that of the tab. */
function useIsPartPaymentAsked(): boolean {
  const option = useTextParameter('option')
  const navigate = useNavigate()
  const [isAsked] = useState(option === partPaymentSearch.option)
  useEffect(() => {
    if (isAsked) void navigate({ href: getLoanTabPath('payments'), replace: true })
  }, [isAsked, navigate])
  return isAsked
}
