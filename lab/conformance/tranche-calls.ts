import { pathTo, type Body, type Call } from './call.ts'
import { problem, tranche } from './entities.ts'
import { both, exactly, flag, listOf, object } from './shape.ts'
import { kept, type Visit } from './visit.ts'

const wanted = 12_000
const changed = 11_000

/** A second undecided tranche is refused, so the call is refused in a second run. */
const mayAsk = (visit: Visit): boolean => kept(visit, 'may ask') === 'true'

export const trancheCalls: readonly Call[] = [
  details('before one is asked for'),
  pathTo('/portal/tranche', {
    method: 'POST',
    body: (visit) => ({ lead_id: kept(visit, 'lead'), lan: kept(visit, 'lan'), amount: wanted, date: nextWeek() }),
    status: (visit) => (mayAsk(visit) ? 200 : 409),
    answer: object({}),
    answerNow: (visit) => (mayAsk(visit) ? trancheOf(wanted) : problem(409, 'TranchePending')),
  }),
  details('with the one that was asked for'),
  pathTo('/portal/tranche', {
    method: 'PATCH',
    body: (visit) => ({ lan: kept(visit, 'lan'), partner_tranche_id: kept(visit, 'tranche'), amount: changed }),
    answer: trancheOf(changed),
  }),
]

function trancheOf(amount: number) {
  const asked = {
    tranche_amount: exactly(amount),
    status: exactly('UNKNOWN'),
    release_status: exactly('NOT_RELEASED'),
    is_editable: exactly(true),
  }
  return both(tranche, object(asked))
}

function details(when: string): Call {
  return pathTo('/portal/tranche-details', {
    when,
    query: (visit) => ({ lan: kept(visit, 'lan') }),
    answer: object({ tranches: listOf(tranche, 1), allow_create_tranche: flag }),
    keep: (body, visit) => {
      visit.kept.set('may ask', String(body['allow_create_tranche']))
      const asked = (body['tranches'] as Body[]).findLast((one) => one['is_editable'] && one['status'] === 'UNKNOWN')
      if (asked) visit.kept.set('tranche', String(asked['partner_tranche_id']))
    },
  })
}

/** A week from now as an instant, as a date picker sends it (§7 'date (ISO string)'). */
const nextWeek = (): string => new Date(Date.now() + 7 * 86_400_000).toISOString()
