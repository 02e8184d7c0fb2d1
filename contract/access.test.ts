import { expect, it } from 'vitest'
import { accessTable, type AccessRow } from './access.ts'
import * as contract from './index.ts'
import type { Endpoint } from './endpoint.ts'

/** Calls that change something of a borrower's and leave no endless rows that nobody can delete. */
const withoutPace = {
  cancelPaymentLink: 'succeeds once for each link, whose creation has the pace',
  uploadDocument: 'each loan has a quota of documents',
  markNoticesRead: 'changes the rows of notices, adds none',
  changeNoticePreferences: 'changes one row, adds none',
}

it('gives a pace to every call that changes something of a borrower’s, but for those with a reason', () => {
  const calls: Readonly<Record<string, Endpoint>> = contract
  const rows: Readonly<Record<string, AccessRow<string>>> = accessTable
  const unpaced = Object.entries(rows).flatMap(([name, { scope, isRecorded }]) =>
    scope === 'borrower' && !isRecorded && calls[name]?.method !== 'GET' ? [name] : [],
  )
  expect(unpaced.toSorted()).toEqual(Object.keys(withoutPace).toSorted())
})
