import { setTimeout as delay } from 'node:timers/promises'
import { refundNote } from '#server/adapters/payment-gateway/razorpay-entities.ts'
import { checkInvariants } from '#server/ledger/check-invariants.ts'
import type { Portal } from './portal.ts'
import { listProviderPostings } from './postings.ts'

/** Findings, a line each: payments missing in the ledger, payments posted twice, other faults. */
export type Findings = { lost: string[]; doubled: string[]; broken: string[] }

export const noFindings = (): Findings => ({ lost: [], doubled: [], broken: [] })

export const addFindings = (to: Findings, from: Findings): void => {
  for (const kind of ['lost', 'doubled', 'broken'] as const) to[kind].push(...from[kind].filter((line) => !to[kind].includes(line)))
}

/** All payments must be posted within this time after a fault has ended. */
export const recoveryTimeoutMs = 60_000
const pollMs = 100

type ProviderPayment = {
  id: string
  amount: number
  captured: boolean
  amount_refunded: number
  /** Null for the payments of a mandate. */
  payment_link_id: string | null
  order_id: string
}
type ProviderRefund = { id: string; payment_id: string; amount: number; status: string; notes: Record<string, string> | null }
type ProviderState = {
  payments: ProviderPayment[]
  refunds: ProviderRefund[]
  links: { id: string; status: string }[]
  orders: { id: string; receipt: string | null }[]
}

type Ours = {
  links: { payment_link_id: string | null; status: string; rps_updated: boolean; amount_paid_paise: bigint }[]
  postings: { source_id: string; amount_paise: bigint; reversed: boolean }[]
  /** Refunds of credit, which people ask for: a payment can have several. */
  creditRefundIds: ReadonlySet<string>
  /** Unprocessed events, a line each. */
  openEvents: string[]
}

/**
 * Waits until no work is pending, then compares provider and ledger. No end within the time limit
 * is a finding. `forgotten`: links that the portal has lost with a disk.
 */
export async function verifyOutcome(
  portal: Portal,
  { forgotten = new Set(), withinMs = recoveryTimeoutMs }: { forgotten?: ReadonlySet<string>; withinMs?: number } = {},
): Promise<Findings & { settledMs: number }> {
  const started = Date.now()
  for (;;) {
    const asked = Date.now()
    const provider = without(forgotten, await providerState(portal))
    const ours = await ourState(portal).catch(() => null)
    const findings = ours === null ? null : compare(provider, ours)
    const isOver = Date.now() - started > withinMs
    if (findings && ours && ((findings.lost.length === 0 && ours.openEvents.length === 0) || isOver)) {
      const { broken } = await checkInvariants(portal.database(), { now: portal.clock.now() })
      findings.broken.push(...broken.map(({ id, detail }) => `${id} ${detail}`))
      if (ours.openEvents.length > 0) findings.broken.push(`${ours.openEvents.length} events are still open, such as ${ours.openEvents[0]}`)
      return { ...findings, settledMs: Date.now() - started }
    }
    if (isOver && !findings) return { lost: [], doubled: [], broken: ['the database could not be asked'], settledMs: Date.now() - started }
    // Polling uses at most a third of the time.
    await delay(Math.max(pollMs, 2 * (Date.now() - asked)))
  }
}

async function providerState(portal: Portal): Promise<ProviderState> {
  return (await portal.sandbox('/state')).body as unknown as ProviderState
}

function without(forgotten: ReadonlySet<string>, { payments, refunds, links, orders }: ProviderState): ProviderState {
  const known = payments.filter(({ payment_link_id }) => payment_link_id === null || !forgotten.has(payment_link_id))
  const ids = new Set(known.map(({ id }) => id))
  return {
    payments: known,
    refunds: refunds.filter(({ payment_id }) => ids.has(payment_id)),
    links: links.filter(({ id }) => !forgotten.has(id)),
    orders,
  }
}

function ourState(portal: Portal): Promise<Ours> {
  return portal.database().asSystem(async (sql) => {
    const links = await sql.selectFrom('payment_links').select(['payment_link_id', 'status', 'rps_updated', 'amount_paid_paise']).execute()
    const postings = await listProviderPostings(sql)
    const open = await sql
      .selectFrom('webhook_inbox')
      .select(['event_type', 'reference', 'attempts', 'last_error'])
      .where('processed_at', 'is', null)
      .execute()
    const creditRefunds = await sql.selectFrom('refunds').select('refund_id').where('reason', '=', 'excess').execute()
    return {
      links,
      creditRefundIds: new Set(creditRefunds.map(({ refund_id }) => refund_id)),
      postings: postings.map(({ reversed_by, ...posting }) => ({ ...posting, reversed: reversed_by !== null })),
      openEvents: open.map(
        ({ event_type, reference, attempts, last_error }) => `${event_type} of ${reference} after ${attempts} attempts: ${last_error}`,
      ),
    }
  })
}

/** Compares the provider's payments and debits with the ledger, without fully refunded ones. */
function compare(provider: ProviderState, ours: Ours): Findings {
  const findings = noFindings()
  const links = new Map(ours.links.flatMap((link) => (link.payment_link_id === null ? [] : [[link.payment_link_id, link]])))
  // A source id that only begins with a payment's id is a second posting of that payment.
  const postings = Map.groupBy(ours.postings, ({ source_id }) => source_id.slice(0, 'pay_'.length + 14))
  // The registration of a mandate is never posted; the provider refunds it.
  const registrations = new Set(provider.orders.flatMap(({ id, receipt }) => (receipt?.startsWith('KM') ? [id] : [])))
  const captured = provider.payments.filter(({ captured, order_id }) => captured && !registrations.has(order_id))
  for (const { id, amount, amount_refunded, payment_link_id } of captured) {
    const unreversed = (postings.get(id) ?? []).filter(({ reversed }) => !reversed)
    if (unreversed.length > 1) findings.doubled.push(`payment ${id} is in the ledger ${unreversed.length} times`)
    const posted = unreversed.reduce((sum, { amount_paise }) => sum + amount_paise, 0n)
    if (posted > BigInt(amount)) findings.doubled.push(`payment ${id} of ${amount} paise is in the ledger with ${posted}`)
    if (amount_refunded >= amount) continue
    if (posted < BigInt(amount)) findings.lost.push(`payment ${id} of ${amount} paise is in the ledger with ${posted}`)
    else if (payment_link_id !== null && !links.get(payment_link_id)?.rps_updated)
      findings.lost.push(`payment ${id} is posted, its link says the loan is not updated`)
  }
  for (const { id, status } of provider.links)
    if (status === 'paid' && links.get(id)?.status !== 'paid') findings.lost.push(`link ${id} is paid, here ${links.get(id)?.status}`)
  findings.doubled.push(...doubledRefunds(provider, ours))
  return findings
}

/** A payment is refunded once, and once for each refund of credit, and never more than it was. */
function doubledRefunds({ payments, refunds }: ProviderState, { creditRefundIds }: Ours): string[] {
  const amounts = new Map(payments.map(({ id, amount }) => [id, amount]))
  const sent = refunds.filter(({ status }) => status !== 'failed')
  return [...Map.groupBy(sent, ({ payment_id }) => payment_id)].flatMap(([paymentId, all]) => {
    const names = all.map(({ notes }) => notes?.[refundNote] ?? '')
    const creditNames = names.filter((name) => creditRefundIds.has(name))
    const isRepeated = names.length - creditNames.length > 1 || new Set(creditNames).size < creditNames.length
    const sum = all.reduce((total, { amount }) => total + amount, 0)
    return [
      ...(isRepeated ? [`payment ${paymentId} was refunded ${all.length} times`] : []),
      ...(sum > (amounts.get(paymentId) ?? 0) ? [`payment ${paymentId} was refunded with ${sum} paise`] : []),
    ]
  })
}
