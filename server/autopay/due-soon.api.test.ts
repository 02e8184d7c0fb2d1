import { afterAll, beforeAll, expect, it } from 'vitest'
import { addMonths, toDay } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import type { App } from '#testkit/start-app.ts'
import { encodeDebitParts } from '../loans/facts-store.ts'
import { announceDue } from '../notices/announce-due.ts'
import { newBorrower, startStage } from './stage.testing.ts'

let app: App
beforeAll(async () => {
  app = await startStage()
})
afterAll(() => app.close())

const dueOn = toDay('2026-12-10')

it('an instalment is announced as due soon unless autopay debits it, whoever comes before it', async () => {
  const debited = await newBorrower(app, { dueOn })
  await debited.setUp()
  const skipping = await newBorrower(app, { dueOn })
  await skipping.setUp()
  const [planned] = await skipping.collections()
  expect((await skipping.post(`/portal/autopay/collections/${planned?.collection_id}/skip`)).status).toBe(200)
  // Its cap lets only an older instalment through.
  const capped = await newBorrower(app, { dueOn })
  const { mandate_id: mandateId } = await capped.setUp()
  const parts = encodeDebitParts([{ kind: 'instalment', dueDate: addMonths(dueOn, -1), amountPaise: paise(470_800n) }])
  await app.database.asSystem((sql) => sql.updateTable('collections').set({ parts }).where('mandate_id', '=', mandateId).execute())
  const byHand = await newBorrower(app, { dueOn })
  // The portal's own loop does not know this day yet.
  const worker = { ...app.context, clock: { now: () => new Date('2026-12-07T06:30:00Z') } }
  while ((await announceDue(worker, 1)) > 0);
  const kinds = await Promise.all([debited, skipping, capped, byHand].map((borrower) => borrower.noticeKinds()))
  expect(kinds).toEqual([[], ['due_soon'], ['due_soon'], ['due_soon']])
})
