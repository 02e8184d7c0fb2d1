import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { operationKinds } from '#domain/operations.ts'
import { kindsOfSuite } from './operations-inputs.ts'

it('every kind of proposal is made by the suite, except that of a short foreclosure', () => {
  expect(operationKinds.filter((kind) => !(kindsOfSuite as readonly string[]).includes(kind))).toEqual(['foreclosure_waive'])
})

it('every kind that leaves a fact is compared with it', () => {
  const compared = readFileSync(new URL('operations-verify.ts', import.meta.url), 'utf8')
  const missing = kindsOfSuite.filter((kind) => !compared.includes(`when '${kind}' then`))
  // The entry of a refunded credit names its refunds.
  expect(missing).toEqual(['credit_refund'])
})
