import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { distributionSetting } from '#testkit/citus.ts'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { queryOnce } from '#testkit/test-database.ts'
import { productionSettings } from '#testkit/production-settings.ts'
import { createProgram } from './program.ts'
import { bareEnvironment, movedClock } from '#testkit/child-environment.ts'

const support = '9000000009'
const lan = 'KST-25-001208'
let context: TestContext
let directory: string
beforeAll(async () => {
  context = await openTestContext(inject('cluster'), { town: true })
  directory = mkdtempSync(join(tmpdir(), 'kist-operator-'))
})
afterAll(async () => {
  await context.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Runs the tool in a process of its own with these settings. */
async function run(args: readonly string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'kist.ts'), ...args], {
    env: {
      ...bareEnvironment,
      ...movedClock,
      KIST_DATA_DIR: directory,
      DATABASE_URL: context.databaseUrl,
      DATABASE_OWNER_URL: context.ownerUrl,
      ...distributionSetting,
      ...environment,
    },
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, out: out.trim(), err: err.trim() }
}
const production = () => ({ ...productionSettings, DATABASE_URL: context.databaseUrl, DATABASE_OWNER_URL: context.ownerUrl })
const settingsOutsideProduction = { KIST_DEMO: 'true', SANDBOX_PORT: '4999' }
const chargeArguments = (reference: string) => [
  'charge',
  'add',
  '--lan',
  lan,
  '--type',
  'BOUNCE_CHARGE',
  '--amount',
  '100',
  '--reference',
  reference,
]
const parseLastLogLine = ({ err }: { err: string }) => JSON.parse(err.split('\n').at(-1) ?? '') as Record<string, unknown>

async function entriesOf(action: 'charge_added' | 'staff_added') {
  return context.database.asSystem((sql) =>
    sql.selectFrom('access_log').select(['actor_id', 'detail']).where('action', '=', action).orderBy('entry_id').execute(),
  )
}
async function staffId(phone: string): Promise<string> {
  const { user_id } = await context.database.asSystem((sql) =>
    sql.selectFrom('user_phones').select('user_id').where('phone', '=', `+91${phone}`).executeTakeFirstOrThrow(),
  )
  return user_id
}

describe('in production', () => {
  it.each([
    ['neither person nor reason', []],
    ['no reason', ['--as', support]],
    ['no person', ['--reason', 'cheque returned']],
  ])(
    'refuses a command that changes data but has %s, and changes nothing',
    async (_what, more) => {
      const { code, out, err } = await run([...chargeArguments('refused'), ...more], production())
      expect({ code, out, err }).toEqual({
        code: 1,
        out: '',
        err: expect.stringMatching(/^kist: In production "kist charge add" needs --as PHONE .* and --reason TEXT .*nothing was changed$/),
      })
      expect(await entriesOf('charge_added')).toEqual([])
    },
    30_000,
  )

  it('names the person in the access log, in the ledger and in the log', async () => {
    const result = await run([...chargeArguments('named'), '--as', support, '--reason', 'cheque returned'], production())
    expect(result).toMatchObject({ code: 0, out: expect.stringContaining('added: BOUNCE_CHARGE') })
    const actorId = await staffId(support)
    expect(parseLastLogLine(result)).toMatchObject({
      event: 'operator_command',
      command: 'kist charge add',
      operator: 'Imran Qureshi',
      reason: 'cheque returned',
    })
    expect(await entriesOf('charge_added')).toEqual([
      { actor_id: actorId, detail: expect.objectContaining({ lan, operator: 'Imran Qureshi', reason: 'cheque returned' }) },
    ])
    const posted = await context.database.asSystem((sql) =>
      sql.selectFrom('ledger_transactions').select('actor_id').where('actor_id', '=', actorId).execute(),
    )
    expect(posted.length).toBeGreaterThan(0)
  })

  it('reads person and reason from the environment, unless options give them', async () => {
    const named = { ...production(), KIST_OPERATOR: `+91${support}`, KIST_REASON: 'monthly fees' }
    expect(parseLastLogLine(await run(chargeArguments('environment'), named))).toMatchObject({
      operator: 'Imran Qureshi',
      reason: 'monthly fees',
    })
    expect(
      parseLastLogLine(await run([...chargeArguments('both'), '--as', '9000000008', '--reason', 'ECS returned'], named)),
    ).toMatchObject({
      operator: 'Harini Rao',
      reason: 'ECS returned',
    })
  })

  it('names KIST_REASON if it has personal data', async () => {
    const named = { ...production(), KIST_OPERATOR: `+91${support}`, KIST_REASON: 'as asked by 9876543210' }
    const { code, out, err } = await run(chargeArguments('invalid'), named)
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^kist: KIST_REASON is invalid\. It must contain no /),
    })
  })

  it.each([
    ['a borrower’s', '9000000001'],
    ['nobody’s', '9000000099'],
  ])(
    'refuses %s phone',
    async (_whose, phone) => {
      const { code, err } = await run([...chargeArguments('borrower'), '--as', phone, '--reason', 'cheque returned'], production())
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`No enabled staff account has the phone +91${phone}`) })
    },
    30_000,
  )

  it('refuses a disabled staff account', async () => {
    const operatorOptions = ['--as', support, '--reason', 'left the company']
    expect(await run(['staff', 'disable', '--phone', '9000000008', ...operatorOptions], production())).toMatchObject({ code: 0 })
    const { code, err } = await run([...chargeArguments('disabled'), '--as', '9000000008', '--reason', 'cheque returned'], production())
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('No enabled staff account') })
  })

  it('refuses a reason with personal data, because the access log keeps it forever', async () => {
    const { code, err } = await run([...chargeArguments('personal'), '--as', support, '--reason', 'called from 9000000001'], production())
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('no phone number, e-mail address, UPI ID or PAN') })
  })

  it('runs a command that only reads without person and reason, and refuses these options there', async () => {
    expect(await run(['check'], production())).toMatchObject({ code: 0, out: expect.stringContaining('0 broken') })
    expect(await run(['check', '--as', support], production())).toMatchObject({ code: 1, err: expect.stringContaining('unknown option') })
  })

  it('adds the first staff account without person and reason, but not the second, and enables one again while all are disabled', async () => {
    const empty = await openTestContext(inject('cluster'))
    try {
      const settings = { ...productionSettings, DATABASE_URL: empty.databaseUrl, DATABASE_OWNER_URL: empty.ownerUrl }
      const add = (phone: string) => [
        'staff',
        'add',
        '--phone',
        phone,
        '--first-name',
        'Asha',
        '--last-name',
        'Rao',
        '--roles',
        'tech/assume',
      ]
      expect(await run(['unlock', '--phone', '9000000001'], settings)).toMatchObject({
        code: 1,
        err: expect.stringContaining('In production'),
      })
      const first = await run(add('9811111111'), settings)
      expect(first).toMatchObject({ code: 0, out: 'added: Asha Rao as staff with tech/assume' })
      expect(parseLastLogLine(first)).toMatchObject({ operator: 'operator (not named)' })
      expect(await run(add('9822222222'), settings)).toMatchObject({ code: 1, err: expect.stringContaining('"kist staff add" needs --as') })
      const operatorOptions = ['--as', '9811111111', '--reason', 'second person of the team']
      expect(await run([...add('9822222222'), ...operatorOptions], settings)).toMatchObject({ code: 0 })
      for (const phone of ['9822222222', '9811111111'])
        expect(await run(['staff', 'disable', '--phone', phone, ...operatorOptions], settings)).toMatchObject({ code: 0 })
      // Nobody can be named any more.
      expect(await run(['unlock', '--phone', '9811111111'], settings)).toMatchObject({ code: 1 })
      expect(await run(['staff', 'enable', '--phone', '9811111111'], settings)).toMatchObject({
        code: 0,
        out: 'enabled: Asha Rao with tech/assume',
      })
      expect(await run(['staff', 'enable', '--phone', '9822222222'], settings)).toMatchObject({
        code: 1,
        err: expect.stringContaining('"kist staff enable" needs --as'),
      })
    } finally {
      await empty.close()
    }
  })
})

describe('outside production', () => {
  it('runs without person and reason, and records that the operator is not named', async () => {
    const result = await run(chargeArguments('unnamed'), settingsOutsideProduction)
    expect(result).toMatchObject({ code: 0, out: expect.stringContaining('added: ') })
    expect(parseLastLogLine(result)).toMatchObject({ operator: 'operator (not named)', command: 'kist charge add' })
    const entries = await entriesOf('charge_added')
    expect(entries.at(-1)).toEqual({ actor_id: 'operator', detail: expect.objectContaining({ operator: 'operator (not named)' }) })
  })
})

describe('a command that must also run where nobody can be named', () => {
  const pending = '0058_papers_by_id.sql'
  const migrateAgain = async (...more: string[]) => {
    await queryOnce(context.superuserUrl, `delete from schema_migrations where name = '${pending}'`)
    return run(['migrate', ...more], settingsOutsideProduction)
  }
  const entries = () =>
    context.database.asSystem((sql) =>
      sql.selectFrom('access_log').select(['actor_id', 'detail']).where('action', '=', 'database_migrated').orderBy('entry_id').execute(),
    )

  it('records the person and the reason, if they are given, and nothing where nothing changed', async () => {
    const named = await migrateAgain('--as', support, '--reason', 'release of 26 November')
    expect(named).toMatchObject({ code: 0, out: expect.stringContaining(`migrated: ${pending}`) })
    expect(parseLastLogLine(named)).toMatchObject({ command: 'kist migrate', operator: 'Imran Qureshi', reason: 'release of 26 November' })
    expect(await migrateAgain()).toMatchObject({ code: 0 })
    // The release has run, so it is not refused afterwards.
    expect(await migrateAgain('--as', '9000000099', '--reason', 'release')).toMatchObject({ code: 0 })
    expect(await run(['migrate'], settingsOutsideProduction)).toMatchObject({ code: 0, err: '' })
    const unnamed = { migrations: pending, operator: 'operator (not named)' }
    expect(await entries()).toEqual([
      {
        actor_id: await staffId(support),
        detail: { migrations: pending, operator: 'Imran Qureshi', reason: 'release of 26 November' },
      },
      { actor_id: 'operator', detail: unnamed },
      { actor_id: 'operator', detail: { ...unnamed, reason: 'release' } },
    ])
  })
})

describe('the options --as and --reason', () => {
  const leaves = (command: Command): Command[] => (command.commands.length === 0 ? [command] : command.commands.flatMap(leaves))
  const nameOf = (command: Command): string =>
    command.parent === null || command.parent.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`
  /** Commands that only read. */
  const withoutOptions = [
    'audit verify',
    'backup',
    'check',
    'doctor',
    'jobs list',
    'refunds list',
    'review list',
    'schedule',
    'tranche list',
  ]

  it('are on every command that changes data', () => {
    const all = leaves(createProgram(() => {}))
    const has = (command: Command, name: string) => command.options.some(({ long }) => long === name)
    expect(
      all
        .filter((command) => !has(command, '--as'))
        .map(nameOf)
        .toSorted(),
    ).toEqual(withoutOptions)
    expect(
      all
        .filter((command) => !has(command, '--reason'))
        .map(nameOf)
        .toSorted(),
    ).toEqual(withoutOptions)
  })
})
