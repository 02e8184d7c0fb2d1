import { apiPrefix } from '#contract/endpoint.ts'
import { addBorrowers, payOnce, type Borrower } from './borrowers.ts'
import { verifyOutcome } from './verify-outcome.ts'
import type { Portal } from './portal.ts'
import { portalSuite, type SuiteRun, type TortureSuite } from './suite.ts'

const borrowersAtOnce = 4
const paymentsEach = 5

/**
 * `npm run torture -- two-versions --beside DIRECTORY`: the version of another checkout (packages
 * installed) serves today's database beside this one, as during a release; then alone, as after a
 * rollback. This version completes the rest.
 */
export const twoVersions: TortureSuite = {
  name: 'two-versions',
  run: (options) => {
    const { beside } = options
    if (beside === undefined) throw new Error('--beside names the checkout of the other version')
    return portalSuite('two-versions', besideEachOther, { replicaFrom: beside }).run(options)
  },
}

async function besideEachOther({ portal, options, round }: SuiteRun): Promise<void> {
  const borrowers = await addBorrowers(portal, borrowersAtOnce)
  for (let turn = 0; turn < options.rounds; turn += 1) {
    await round(`both serve, ${turn + 1}`, async () => {
      await portal.replica.start()
      let calls = 0
      const both = inTurn(portal, () => (calls++ % 2 === 0 ? portal.replica : portal.server))
      for (const [index, toOther] of [true, false].entries()) {
        await sendWebhooksTo(portal, toOther)
        await payAll(both, borrowers, paymentsEach + index)
      }
      await leave(portal)
    })
    await round(`the other alone, ${turn + 1}`, async () => {
      await portal.replica.start()
      await portal.server.kill('SIGTERM')
      await sendWebhooksTo(portal, true)
      await payAll(
        inTurn(portal, () => portal.replica),
        borrowers,
        paymentsEach,
      )
      await portal.server.start()
      await leave(portal)
    })
  }
}

/** The same portal with calls to the chosen server. */
const inTurn = (portal: Portal, choose: () => Portal['server']): Portal => ({
  ...portal,
  call: (method, path, token, body, at = choose()) => portal.call(method, path, token, body, at),
})

/** Has the provider send its webhooks to one of the two versions. */
const sendWebhooksTo = ({ sandbox, server, replica }: Portal, isOther: boolean) =>
  sandbox('/webhooks/endpoint', { url: `${(isOther ? replica : server).url}${apiPrefix}/webhooks/razorpay` })

async function payAll(portal: Portal, borrowers: readonly Borrower[], times: number): Promise<void> {
  await Promise.all(
    borrowers.map(async (borrower) => {
      for (let payment = 0; payment < times; payment += 1) await payOnce(portal, borrower)
    }),
  )
}

/** Stops the other version; this one completes what it left open. */
async function leave(portal: Portal): Promise<void> {
  await sendWebhooksTo(portal, false)
  await portal.replica.kill('SIGTERM')
  await verifyOutcome(portal)
}
