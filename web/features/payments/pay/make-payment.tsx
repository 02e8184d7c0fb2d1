import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import type { Collection } from '#contract/autopay.ts'
import type { Loan } from '#contract/loans.ts'
import type { PaymentLink } from '#contract/payments.ts'
import { getLoanTabPath, partPaymentSearch } from '#web/app/paths.ts'
import { useTextParameter } from '#web/app/use-text-parameter.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import type { Schedule } from '#web/loan/loan-queries.ts'
import { readPartPaymentEntry } from '#web/loan/part-payment-entry.ts'
import { forgetTyped } from '#web/storage.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { formatInstant, formatMoney } from '#web/ui/format.ts'
import { createLazyPart, usePreloadWhenIdle } from '#web/ui/lazy-part.tsx'
import { OptionGroup } from '#web/ui/option-card.tsx'
import { type PaymentOptionKind, selectDefaultOption } from '../payments-controller.ts'
import type { Payments } from '../use-payments.ts'
import { BalanceOverTime } from './balance-over-time.tsx'
import { BankTransfer } from './bank-transfer.tsx'
import { PayBar } from './pay-bar.tsx'
import { PaymentCovers } from './payment-covers.tsx'
import { PaymentOptionCard } from './payment-option-card.tsx'
import { isAboveLink, isPayable, listPaymentOptions, purposeOf, sortByOffer } from './payment-options.ts'

const PartPaymentDialog = createLazyPart(async () => (await import('../part-payment/part-payment-dialog.tsx')).PartPaymentDialog)

type MakePaymentProps = {
  loan: Loan
  schedule: Schedule
  link: PaymentLink | null
  /** A debit whose outcome is not known: nothing can be paid beside it. */
  debit: Collection | null
  payments: Payments
}

/** The payment options, what the selected one covers, and the button. */
export function MakePayment({ loan, schedule, link, debit, payments }: MakePaymentProps) {
  const { t } = useLingui()
  const isBlocked = link !== null || debit !== null
  const options = listPaymentOptions(schedule.allowed_payments)
  const part = options.find((option) => option.kind === 'part_payment' && option.isOffered) ?? null
  usePreloadWhenIdle(PartPaymentDialog)
  // Asked for by the address, or open when the tab was reloaded.
  const isAskedFor = useIsPartPaymentAsked()
  const [isChoosingAmount, setIsChoosingAmount] = useState(
    () => part !== null && !isBlocked && (isAskedFor || readPartPaymentEntry(loan.lan) !== null),
  )
  const [chosen, setChosen] = useState<PaymentOptionKind | null>(isChoosingAmount ? 'part_payment' : null)
  // On another day what was chosen may be offered no more.
  const isStillOffered = options.some(({ kind, isOffered }) => kind === chosen && isOffered)
  const wanted = isStillOffered ? chosen : selectDefaultOption(schedule.allowed_payments)
  const selected = options.find((option) => option.kind === wanted) ?? null
  const { create } = payments

  const choose = (kind: PaymentOptionKind): void => {
    setChosen(kind)
    create.reset()
  }
  const closeDialog = (): void => setIsChoosingAmount(false)
  // An amount that was entered elsewhere is not asked for again when the pending payment is over.
  useEffect(() => {
    if (isBlocked) forgetTyped()
  }, [isBlocked])
  // A link of another tab or device, or one that a failed attempt left behind, ends the choice.
  if (isBlocked && isChoosingAmount) closeDialog()
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
        {debit && <DebitInProgress debit={debit} />}
        <OptionGroup legend={t`What do you want to pay?`}>
          {(isBlocked ? options : sortByOffer(options)).map((option) => (
            <PaymentOptionCard
              key={option.kind}
              option={option}
              schedule={schedule}
              checked={!isBlocked && selected?.kind === option.kind}
              disabled={create.isPending}
              isBlocked={isBlocked}
              onSelect={choose}
            />
          ))}
        </OptionGroup>
        {!isBlocked && selected !== null && isAboveLink(selected) && (
          <BankTransfer loan={loan} quotedFor={schedule.allowed_payments.quoted_for} />
        )}
        {/* Another button while it is blocked: the focus goes on to the pending payment. */}
        <PayBar key={String(isBlocked)} selected={isBlocked ? null : selected} isBlocked={isBlocked} payments={payments} onPress={press} />
      </Card>
      <div className="flex flex-col gap-4 empty:hidden md:gap-5">
        {!isBlocked && <PaymentCovers loan={loan} option={selected} />}
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

/** Why nothing can be paid now, and until when; without a time when the bank is late. */
function DebitInProgress({ debit: { amount: sum, expected_by: by } }: { debit: Collection }) {
  const { t } = useLingui()
  const language = useLanguage()
  const amount = formatMoney(sum)
  const moment = by && formatInstant(by, language)
  return (
    <Banner tone="caution" icon="lock" className="mb-4">
      {moment === null
        ? t`Your EMI is being debited by autopay, so nothing else can be paid now.`
        : t`${amount} is being debited by autopay. To avoid paying twice, you can pay again when the bank has told us the outcome, by ${moment}.`}
    </Banner>
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
