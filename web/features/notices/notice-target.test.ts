import { expect, it } from 'vitest'
import { getNoticeTarget } from './notice-target.ts'

const about = { lan: 'KST-1', payment_link_id: null }

it('a payment and a refund lead to their trail, on the loan that they are about', () => {
  for (const kind of ['payment_applied', 'refund_asked', 'refund_processed', 'refund_failed'] as const)
    expect(getNoticeTarget({ kind, lan: 'KST-1', payment_link_id: 'plink_1' })).toEqual({
      to: '/active-loans/payments',
      search: { loan: 'KST-1', payment: 'plink_1' },
    })
})

it('what is due leads to the payments, a disbursal to the loan, a document to the documents', () => {
  expect(getNoticeTarget({ kind: 'due_soon', ...about })).toEqual({ to: '/active-loans/payments', search: { loan: 'KST-1' } })
  expect(getNoticeTarget({ kind: 'tranche_approved', ...about })).toEqual({ to: '/active-loans', search: { loan: 'KST-1' } })
  for (const kind of ['document_added', 'loan_closed'] as const)
    expect(getNoticeTarget({ kind, ...about })).toEqual({ to: '/active-loans/documents', search: { loan: 'KST-1' } })
})

it('security and staff lead to the profile', () => {
  for (const kind of ['new_device', 'sessions_ended', 'staff_assumed'] as const)
    expect(getNoticeTarget({ kind, lan: null, payment_link_id: null })).toEqual({ to: '/user-profile', search: {} })
})
