import { expect, it } from 'vitest'
import { noticeKinds, smsPreferenceOf, textDelayMs } from './notices.ts'

it('a text message goes out by the preference of its kind, of money, tranches or due dates; the other kinds are shown in the portal only', () => {
  const kindsOf = (preference: (typeof smsPreferenceOf)[keyof typeof smsPreferenceOf]) =>
    noticeKinds.filter((kind) => smsPreferenceOf[kind] === preference)
  expect({
    always: kindsOf('always'),
    payments: kindsOf('sms_payments'),
    tranches: kindsOf('sms_tranches'),
    dueSoon: kindsOf('sms_due_soon'),
    portalOnly: kindsOf(null),
  }).toEqual({
    always: ['autopay_announced', 'rate_reset_notified', 'rate_reset_defaulted', 'rate_reset_recomputed', 'rate_reset_withdrawn'],
    payments: [
      'payment_applied',
      'foreclosure_short',
      'refund_asked',
      'refund_processed',
      'payment_reversed',
      'charge_added',
      'late_charge',
      'loan_closed',
      'autopay_debited',
      'autopay_failed',
      'autopay_skipped',
      'autopay_cap_too_low',
      'autopay_ended',
    ],
    tranches: ['tranche_approved', 'tranche_released', 'tranche_rejected'],
    dueSoon: ['due_soon', 'emi_start'],
    portalOnly: [
      'refund_failed',
      'charge_waived',
      'foreclosure_waived',
      'rate_reset_chosen',
      'paper_published',
      'document_added',
      'staff_assumed',
      'new_device',
      'sessions_ended',
    ],
  })
})

it('what nobody waits for is sent between 09:00 and 20:00 in India, the rest at once', () => {
  const hoursAt = (instant: string) => textDelayMs('rate_reset_defaulted', new Date(instant)) / 3_600_000
  expect(hoursAt('2026-11-20T09:00:00+05:30')).toBe(0)
  expect(hoursAt('2026-11-20T19:59:59+05:30')).toBe(0)
  expect(hoursAt('2026-11-20T20:00:00+05:30')).toBe(13)
  expect(hoursAt('2026-11-20T23:00:00+05:30')).toBe(10)
  expect(hoursAt('2026-11-20T00:00:00+05:30')).toBe(9)
  for (const kind of ['autopay_skipped', 'autopay_cap_too_low'] as const)
    expect(textDelayMs(kind, new Date('2026-11-20T05:00:00+05:30'))).toBe(4 * 3_600_000)
  for (const kind of ['payment_reversed', 'late_charge', 'loan_closed'] as const)
    expect(textDelayMs(kind, new Date('2026-11-20T05:00:00+05:30'))).toBe(4 * 3_600_000)
  expect(textDelayMs('autopay_announced', new Date('2026-11-20T05:00:00+05:30'))).toBe(0)
  expect(textDelayMs('payment_applied', new Date('2026-11-20T23:00:00+05:30'))).toBe(0)
})
