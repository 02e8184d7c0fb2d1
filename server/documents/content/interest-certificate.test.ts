import { expect, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import type { DocumentSource } from './document-source.ts'
import { composeInterestCertificate } from './interest-certificate.ts'

/** A loan without payments, as of a day. */
const sourceOn = (day: string): DocumentSource =>
  ({
    language: 'en',
    lender: { name: 'Meghdoot Education Finance Ltd', lines: [] },
    borrower: { name: 'Esha Kulkarni', pan: null },
    loan: { lan: 'KST-24-000001', title: 'B.Sc.' },
    isForEducation: true,
    ledger: [],
    today: toDay(day),
  }) as unknown as DocumentSource

const textOn = (day: string): string => JSON.stringify(composeInterestCertificate(sourceOn(day), '2026-27').content.parts)

it('is provisional until the year has ended: on its last day a payment can still come', () => {
  for (const day of ['2026-11-28', '2027-03-30', '2027-03-31']) expect(textOn(day)).toContain('The year has not ended')
  expect(textOn('2027-03-31')).toContain('31 Mar 2027')
  expect(textOn('2027-04-01')).not.toContain('The year has not ended')
})
