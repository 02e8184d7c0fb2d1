import { sql } from 'kysely'
import { dayInIndia } from '#domain/calendar.ts'
import { dayMs } from '#domain/durations.ts'
import type { InvariantQuery } from './invariant.ts'

/** A default is written within this time after its day has begun. */
const defaultedWithinMs = dayMs

/** The invariants of rate resets. */
export const resetQueries: readonly InvariantQuery[] = [
  {
    id: 'I34',
    rule: 'a chosen or defaulted reset is one rate change of its day, and every borrower is notified 15 days before',
    violations: (now) => sql`
      with decided as (
        select r.*, c.annual_rate_ppb, c.keep, c.instalment_paise as given from rate_resets r
        left join rate_changes c on c.borrower_id = r.borrower_id and c.loan_id = r.loan_id and c.effective_on = r.effective_on
      )
      select 'reset ' || reset_id || ' is ' || state || ' and has no rate change of ' || effective_on as detail
      from decided where state in ('chosen', 'defaulted') and annual_rate_ppb is null
      union all
      select 'reset ' || reset_id || ' is ' || state || ' and has a rate change of ' || effective_on
      from decided d where state in ('computed', 'notified') and annual_rate_ppb is not null
      union all
      select 'reset ' || reset_id || ' has another rate than its rate change of ' || effective_on
      from decided where state in ('chosen', 'defaulted') and annual_rate_ppb <> to_rate_ppb
      union all
      select 'reset ' || reset_id || ' was chosen as ' || choice || ', and its rate change keeps ' || keep
      from decided where state = 'chosen' and annual_rate_ppb is not null and not case choice
        when 'keep_tenor' then keep = 'tenor' when 'between' then keep = 'both' else keep in ('instalment', 'both') end
      union all
      select 'reset ' || reset_id || ' has the EMI ' || instalment_paise || ', and its rate change gives ' || given
      from decided where state in ('chosen', 'defaulted') and given <> instalment_paise
      union all
      select 'reset ' || reset_id || ' of ' || effective_on || ' has no default yet'
      from rate_resets where state = 'notified' and effective_on < ${dayInIndia(new Date(now.getTime() - defaultedWithinMs))}
      union all
      select 'reset ' || reset_id || ' was notified later than 15 days before ' || effective_on
      from rate_resets where notified_at is not null and (notified_at at time zone 'Asia/Kolkata')::date > effective_on - 15`,
  },
]
