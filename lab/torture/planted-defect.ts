import { registerHooks } from 'node:module'

/**
 * Planted defects, to test that the suites find them. They are not part of the server: loaded
 * before it (`--import`), this file rewrites the server's source at load time and fails if the
 * source has changed.
 */
const plantedDefects = ['dedupe-by-event', 'no-loan-lock', 'no-exclusion', 'no-check-before-presenting', 'retry-without-borrower'] as const
export type PlantedDefect = (typeof plantedDefects)[number]

/** Options of Node that plant a defect. */
export const withDefect = (defect: PlantedDefect): readonly string[] => ['--import', `${import.meta.url}?plant=${defect}`]

type Change = { file: string; from: string; to: string }

const money = 'server/payments/posting/post-received-money.ts'
const presenting = 'server/autopay/present-collection.ts'
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
    { file: money, from: 'const unposted = selectUnposted(payments)', to: 'const unposted = payments' },
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
  // A link and a presented debit of one loan can be open at once.
  'no-exclusion': [
    {
      file: presenting,
      from: 'if (await findLinkAwaitingProvider(sql, row.borrower_id, row.loan_id)) return waitForLink(context, step)',
      to: '',
    },
    { file: 'server/payments/links/create-payment-link.ts', from: 'if (debit) throw debitInProgress(debit, now)', to: '' },
  ],
  // What was announced is debited, whatever has been paid since.
  'no-check-before-presenting': [
    { file: presenting, from: "if (decision.kind === 'nothing_due')", to: 'if (false)' },
    { file: 'server/autopay/skip-collection.ts', from: ".kind !== 'nothing_due') return false", to: ') return false' },
    { file: presenting, from: "if (decision.kind === 'above_cap')", to: 'if (false)' },
    { file: presenting, from: 'if (!paysTheSame(decision.parts, decodeDebitParts(row.parts))) return', to: 'if (false) return' },
  ],
  // The account had too little, and it is debited again without a request.
  'retry-without-borrower': [
    { file: 'server/autopay/fail-collection.ts', from: "case 'technical': {", to: "case 'funds':\n    case 'technical': {" },
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
