import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dangersIn } from './migration-dangers.ts'

/** Migrations can run while the previous version serves (docs/runbook.md, Migrations). */

const directory = join(import.meta.dirname, '../server/database/migrations')
/** Earlier migrations are older than any production database. */
const firstAfterProduction = '0009'

/**
 * Numbers of several files. Databases record migrations by file name, so a renamed file
 * would run again. Files with one number run in the order of their names.
 */
const namesakes: readonly string[] = [
  '0003_documents_tranches.sql',
  '0003_row_security.sql',
  '0008_enabled_borrowers.sql',
  '0008_provider_payments.sql',
  '0009_retention.sql',
  '0009_retention_codes.sql',
  '0009_retention_events.sql',
  '0009_retention_notices.sql',
  '0009_retention_sessions.sql',
]

/**
 * Files from before the check of inline checks: each reads one table under a lock. A released file
 * is never changed.
 */
const withInlineChecks: readonly string[] = [
  '0026_code_status.sql',
  '0041_given_instalments.sql',
  '0047_proposal_causes.sql',
  '0055_waived_amounts.sql',
]

describe('migrations', () => {
  // A reserved number may be missing.
  it('have each a number to itself', () => {
    const names = readdirSync(directory).filter((name) => name.endsWith('.sql'))
    expect(names.filter((name) => !/^\d{4}_[a-z0-9_]+\.sql$/.test(name))).toEqual([])
    const byNumber = Map.groupBy(names, (name) => name.slice(0, 4))
    const shared = [...byNumber.values()].filter((files) => files.length > 1).flat()
    expect(shared.sort()).toEqual(namesakes)
  })
  it('do nothing that the version before would feel, unless they say why it is safe', () => {
    const files = readdirSync(directory).filter((name) => name.endsWith('.sql') && name >= firstAfterProduction)
    const dangers = files.flatMap((name) => dangersIn(readFileSync(join(directory, name), 'utf8')).map((danger) => ({ name, danger })))
    const isKnown = ({ name, danger }: (typeof dangers)[number]) => withInlineChecks.includes(name) && danger.includes('add column')
    expect(dangers.filter((one) => !isKnown(one))).toEqual([])
    expect(dangers.filter(isKnown).map(({ name }) => name)).toEqual(withInlineChecks)
  })
  it('name each constraint of a new column: on distributed tables Citus refuses the others', () => {
    const firstOnCitus = '0052'
    const files = readdirSync(directory).filter((name) => name.endsWith('.sql') && name >= firstOnCitus)
    const unnamed = /\badd column(?![^,;]*\bconstraint\b)[^,;]*\b(check|unique|primary key|references)\b/i
    expect('alter table a add column b bigint check (b > 0)').toMatch(unnamed)
    expect('alter table a add column b bigint constraint c check (b > 0)').not.toMatch(unnamed)
    expect(files.filter((name) => unnamed.test(readFileSync(join(directory, name), 'utf8')))).toEqual([])
  })
  it('read no clock in the on conflict part of an insert: on distributed tables Citus refuses it', () => {
    const firstOnCitus = '0052'
    const files = readdirSync(directory).filter((name) => name.endsWith('.sql') && name >= firstOnCitus)
    const clock = /\bon conflict\b[^;]*\bdo update\b[^;]*\b(now\(|current_(date|time)|clock_timestamp\()/i
    expect('insert into a (b) select c from d on conflict (b) do update set e = excluded.e where a.e <= now()').toMatch(clock)
    expect('insert into a (b) select now() on conflict (b) do update set b = excluded.b').not.toMatch(clock)
    expect(files.filter((name) => clock.test(readFileSync(join(directory, name), 'utf8')))).toEqual([])
  })
  it('that make an index concurrently are files of one statement without a transaction', () => {
    const wrong = readdirSync(directory).filter((name) => {
      const text = readFileSync(join(directory, name), 'utf8')
      const alone =
        text.startsWith('-- Without a transaction.') &&
        text
          .replaceAll(/--[^\n]*/g, '')
          .trim()
          .split(';')
          .filter(Boolean).length === 1
      return /\bconcurrently\b/i.test(text.replaceAll(/--[^\n]*/g, '')) && !alone
    })
    expect(wrong).toEqual([])
  })
  it.each([
    'alter table loans drop column title',
    'drop table loans',
    'alter table loans rename column title to name',
    'alter table loans alter column title type varchar(10)',
    'alter table loans alter column title set not null',
    'alter table loans add column colour text not null',
    'alter table loans add column a int not null default 0, add column b text not null',
    "alter table loans add constraint titled check (title <> '')",
    'alter table loans add column paise bigint check (paise > 0)',
    'alter table loans add column paise bigint constraint paid check (paise > 0)',
    "alter table loans add column a numeric(10, 2), add column b text default 'x' check (b <> ''), add column c int",
    'alter table loans add foreign key (borrower_id) references users (user_id)',
    'alter table loans add unique (borrower_id, title)',
    'create index loans_title on loans (title)',
    'create unique index loans_title on loans (borrower_id, title)',
    'drop index loans_lead',
    "update loans set title = 'x'",
    'delete from loans',
    'insert into receipts (a) select a from loans',
    'truncate loans',
    'lock table loans',
  ])('find the danger in: %s', (statement) => {
    expect(dangersIn(`-- A comment; with a semicolon.\n${statement};`)).toHaveLength(1)
  })
  it.each([
    'create table a (b int primary key); create index a_b on a (b); insert into a (b) select 1; alter table a add column c int not null;',
    'alter table loans add column colour text;',
    "alter table loans add column colour text not null default 'none';",
    "alter table loans add constraint titled check (title <> '') not valid;",
    'alter table loans validate constraint titled;',
    'alter table loans add column paise bigint, add constraint paid check (paise > 0) not valid;',
    '-- Without a transaction.\ncreate index concurrently loans_title on loans (title);',
    '-- safe: ten rows at most.\nupdate loan_products set terms = terms;',
    'create function f() returns void language plpgsql as $$ begin delete from loans; end $$;',
    'grant select, insert, update on loans to kist_app;',
  ])('see no danger in: %s', (sql) => {
    expect(dangersIn(sql)).toEqual([])
  })
})
