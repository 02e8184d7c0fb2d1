import { registerHooks } from 'node:module'

/**
 * Planted defects, to test that the suites find them. They are not part of the server: loaded
 * before it (`--import`), this file rewrites the server's source at load time and fails if the
 * source has changed.
 */
const plantedDefects = ['dedupe-by-event', 'no-loan-lock'] as const
export type PlantedDefect = (typeof plantedDefects)[number]

/** Options of Node that plant a defect. */
export const withDefect = (defect: PlantedDefect): readonly string[] => ['--import', `${import.meta.url}?plant=${defect}`]

type Change = { file: string; from: string; to: string }

const money = 'server/payments/posting/post-received-money.ts'
const changes: Record<PlantedDefect, readonly Change[]> = {
  // Deduplicates by event instead of payment: every new event posts its payment again.
  'dedupe-by-event': [
    { file: 'server/webhooks/process-events.ts', from: 'if (awaitsProvider(link)) return true', to: 'return true' },
    {
      file: 'server/payments/links/sync-link.ts',
      from: 'postStored(context, await lookUpLink(context, link, cause))',
      to: "postStored(context, await lookUpLink(context, link, cause), cause.source === 'webhook')",
    },
    {
      file: 'server/payments/links/sync-link.ts',
      from: 'stored: StoredLink): Promise<LinkRow> {\n  let posted = stored\n  if (',
      to: 'stored: StoredLink, isNewEvent = false): Promise<LinkRow> {\n  let posted = stored\n  if (isNewEvent || ',
    },
    { file: money, from: 'of selectUnposted(payments)', to: 'of payments' },
    {
      file: money,
      from: 'sourceId: payment.provider_payment_id,',
      to: "sourceId: payment.provider_payment_id + ':' + crypto.randomUUID(),",
    },
  ],
  // Without the lock two postings read the same state of the loan.
  'no-loan-lock': [
    { file: 'server/loans/loan-store.ts', from: 'loanBy(sql, borrowerId, loanId).forUpdate()', to: 'loanBy(sql, borrowerId, loanId)' },
  ],
}

const plant = new URL(import.meta.url).searchParams.get('plant') as PlantedDefect | null
if (plant) {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const wanted = changes[plant].filter(({ file }) => url.endsWith(`/${file}`))
      if (wanted.length === 0) return loaded
      return { ...loaded, source: wanted.reduce(changed, String(loaded.source)) }
    },
  })
}

function changed(source: string, { file, from, to }: Change): string {
  if (!source.includes(from)) throw new Error(`${file} is not what the planted defect was written for`)
  return source.replace(from, to)
}
