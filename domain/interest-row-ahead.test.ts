import { expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { loanStateDuring } from './loan-state.ts'
import { paise } from './money.ts'

/** Found by the torture suite `engine`, seed 5077661; 786063 and 5062702 were the same. */
it('an instalment of interest alone, behind rows that were paid ahead, is paid as it is offered (decisions 20 and 34)', () => {
  const terms = termsOf({
    annualRatePercent: 0,
    instalments: 14,
    firstDueDate: '2023-02-11',
    interest: 'actual_365',
    instalmentRounding: 'paisa_up',
    principalGraceInstalments: 5,
  })
  const facts = factsOf(
    terms,
    [['2023-01-11', 1_620.57]],
    [
      ['2023-02-04', 180.07, 'PAY_EMI'],
      ['2023-02-14', 180.07, 'PAY_EMI'],
      ['2023-04-20', 1_260.43, 'PART_PAYMENT__REDUCE_EMI'],
    ],
    { rateChanges: [{ date: toDay('2023-03-21'), annualRatePpb: 100_000_000, keep: 'instalment' }] },
  )
  const day = toDay('2023-06-28')
  const offered = loanStateDuring(facts, day).allowed.nextEmi
  expect(offered).toMatchObject({ amountPaise: 1_036n, dueDate: '2023-09-11', parts: { principalPaise: 0n, interestPaise: 1_036n } })
  const payment = { paymentId: 'next', date: day, amountPaise: paise(1_036n), purpose: 'PAY_EMI' as const }
  const paid = loanStateDuring({ ...facts, payments: [...facts.payments, payment] }, day)
  expect(paid.allocations.at(-1)?.lines).toEqual([{ component: 'interest', instalmentNumber: 8, chargeId: null, amountPaise: 1_036n }])
  expect(paid).toMatchObject({ creditPaise: 0n, allowed: { nextEmi: null } })
})
