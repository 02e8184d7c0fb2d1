import { randomUUID } from 'node:crypto'
import { pathTo, type Body, type Call } from './call.ts'
import { loanPaper, preview, problem, proposal, rateReset } from './entities.ts'
import { exactly, listOf, matching, object, positive } from './shape.ts'
import { kept, type Visit } from './visit.ts'

const ofLoan = (visit: Visit) => ({ application_id: kept(visit, 'floating loan') })

/** The loan of the borrower whose new rate is announced, and what they can choose. */
export const rateResetCalls: readonly Call[] = [
  pathTo('/portal/loans-summary', {
    when: 'a floating loan',
    answer: object({ loans: listOf(object({ lan: matching(/./) }), 1) }),
    keep: (body, visit) => void visit.kept.set('floating loan', String((body['loans'] as Body[])[0]?.['lan'])),
  }),
  pathTo('/portal/rate-resets', {
    query: ofLoan,
    answer: object({ rate_resets: listOf(rateReset, 1) }),
    keep: (body, visit) => {
      const [reset] = body['rate_resets'] as Body[]
      visit.kept.set('reset', String(reset?.['id']))
      visit.kept.set('reset hash', String(reset?.['preview_hash']))
    },
  }),
  choice('with figures that were never shown', {
    body: () => ({ option: 'keep_tenor', preview_hash: 'x' }),
    status: 409,
    answer: problem(409, 'RateResetStale'),
  }),
  choice('an EMI below the bounds', {
    body: (visit) => ({ option: 'between', instalment: 1, preview_hash: kept(visit, 'reset hash') }),
    status: 409,
    answer: problem(409, 'RateResetNotAllowed'),
  }),
  choice('the same number of instalments', {
    body: (visit) => ({ option: 'keep_tenor', preview_hash: kept(visit, 'reset hash') }),
    answer: object({ rate_reset: rateReset }),
    answerNow: () => object({ rate_reset: object({ state: exactly('chosen'), choice: exactly('keep_tenor') }) }),
  }),
]

function choice(when: string, of: Pick<Call, 'answer'> & Partial<Call>): Call {
  return pathTo('/portal/rate-resets/{id}/choice', {
    method: 'POST',
    when,
    at: (visit) => `/portal/rate-resets/${kept(visit, 'reset')}/choice`,
    ...of,
  })
}

/** What operations propose: the preview of each kind, and a paper that is published. */
export const makerCalls: readonly Call[] = [
  previewed('benchmark_publish', () => ({ code: newBenchmark(), annual_rate_percent: 7.25, effective_on: today() })),
  pathTo('/operations/previews', {
    method: 'POST',
    when: 'rate_reset_run, less than fifteen days ahead',
    body: () => ({ kind: 'rate_reset_run', input: { benchmark: 'RBI_REPO', effective_on: today() } }),
    status: 422,
    answer: problem(422, 'ProposalRefused'),
    answerNow: () => object({ refusal: exactly('reset_too_soon') }),
  }),
  previewed('rate_reset_withdraw', (visit) => ({ reset_id: kept(visit, 'reset') }), true),
  pathTo('/operations/loan-papers', {
    method: 'POST',
    body: (visit) => {
      const form = new FormData()
      form.set('lan', kept(visit, 'floating loan'))
      form.set('paper', 'agreement')
      form.set('file', new Blob([smallPdf(randomUUID())], { type: 'application/pdf' }), 'agreement.pdf')
      return form
    },
    answer: object({ loan_paper: loanPaper }),
    keep: (body, visit) => void visit.kept.set('paper', String((body['loan_paper'] as Body)['id'])),
  }),
  previewed('paper_publish', (visit) => ({ paper_id: kept(visit, 'paper') }), true),
  pathTo('/operations/proposals', {
    method: 'POST',
    body: (visit) => ({
      kind: 'paper_publish',
      lan: kept(visit, 'floating loan'),
      input: { paper_id: kept(visit, 'paper') },
      reason: 'The agreement that was signed.',
      preview_hash: kept(visit, 'preview hash'),
    }),
    answer: object({ proposal }),
    keep: (body, visit) => void visit.kept.set('proposal', String((body['proposal'] as Body)['id'])),
  }),
]

function previewed(kind: string, input: (visit: Visit) => object, isOfLoan = false): Call {
  return pathTo('/operations/previews', {
    method: 'POST',
    when: kind,
    body: (visit) => ({ kind, input: input(visit), ...(isOfLoan && { lan: kept(visit, 'floating loan') }) }),
    answer: preview,
    keep: (body, visit) => void visit.kept.set('preview hash', String(body['preview_hash'])),
  })
}

/** The other person approves it. */
export const checkerCalls: readonly Call[] = [
  pathTo('/operations/proposals/{id}/approve', {
    method: 'POST',
    at: (visit) => `/operations/proposals/${kept(visit, 'proposal')}/approve`,
    body: (visit) => ({ preview_hash: kept(visit, 'preview hash') }),
    answer: object({ proposal }),
    answerNow: () => object({ proposal: object({ state: exactly('executed') }) }),
  }),
]

/** The borrower finds the paper. */
export const loanPaperCalls: readonly Call[] = [
  pathTo('/portal/loan-papers', {
    query: ofLoan,
    answer: object({ loan_papers: listOf(loanPaper, 1) }),
    answerNow: (visit) => (body, at) =>
      ((body as Body)['loan_papers'] as Body[]).some(({ id }) => id === kept(visit, 'paper')) ? [] : [`${at} lacks the published paper`],
  }),
  pathTo('/portal/loan-papers/{id}', {
    at: (visit) => `/portal/loan-papers/${kept(visit, 'paper')}`,
    isFile: true,
    answer: object({ content_type: exactly('application/pdf'), size: positive }),
  }),
]

const today = (): string => new Date(Date.now() + 5.5 * 3_600_000).toISOString().slice(0, 10)
const newBenchmark = (): string => `C${randomUUID().replaceAll('-', '').toUpperCase()}`

/** A PDF of one empty page; no two are the same. */
function smallPdf(comment: string): string {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>',
  ]
  const head = `%PDF-1.4\n%${comment}\n`
  let written = head
  const offsets = objects.map((object, index) => {
    const offset = written.length
    written += `${index + 1} 0 obj${object}endobj\n`
    return offset
  })
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  return `${written}xref\n0 4\n0000000000 65535 f \n${rows}trailer<</Size 4/Root 1 0 R>>\nstartxref\n${written.length}\n%%EOF\n`
}
