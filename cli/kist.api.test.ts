import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { lockOwner, saveFailures } from '#server/auth/sign-in-store.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { runHere as kist, stubKistSettings, type Ran } from './kist.testing.ts'

let context: TestContext
let settings: ReturnType<typeof stubKistSettings>
beforeAll(async () => {
  context = await openTestContext(inject('cluster'), { town: true })
  settings = stubKistSettings({ appUrl: context.databaseUrl, ownerUrl: context.ownerUrl })
})
afterAll(async () => {
  settings.restore()
  await context.close()
})

async function asSuperuser(statement: string): Promise<void> {
  const superuser = new pg.Client({ connectionString: context.superuserUrl })
  await superuser.connect()
  await superuser.query(statement).finally(() => superuser.end())
}

/** Runs the tool as an operator does, a process of its own. */
function kistProcess(args: readonly string[], input = ''): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [join(import.meta.dirname, 'kist.ts'), ...args], (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out: out.trim(), err: err.trim() }),
    )
    child.stdin?.end(input)
  })
}
const done = (out: string | RegExp) => ({ code: 0, out: typeof out === 'string' ? out : (expect.stringMatching(out) as unknown), err: '' })
/** One line on standard error, nothing on standard output. */
const refused = (message: RegExp, code = 1) => ({
  code,
  out: '',
  err: expect.stringMatching(new RegExp(`^[^\\n]*(${message.source})[^\\n]*$`)) as unknown,
})
const file = (name: string, text: string) => {
  const path = join(settings.directory, name)
  writeFileSync(path, text)
  return path
}

const lan = 'KST-25-001208'
const record = ['payment', 'record', '--lan', lan, '--mode', 'neft', '--reference', 'UTR1', '--value-date', '2026-11-01']
const today = () => new Date(Date.now() + 19_800_000).toISOString().slice(0, 10)
const at = (args: readonly string[], date: string) => args.map((one) => (one === '2026-11-01' ? date : one))

describe('kist', () => {
  it('tells its commands', async () => {
    const { code, out } = await kist(['--help'])
    expect(code).toBe(0)
    for (const command of ['schedule', 'check', 'import', 'payment', 'charge', 'product', 'staff', 'unlock'])
      expect(out).toMatch(new RegExp(`^  ${command}\\b`, 'm'))
  })
  it.each([
    ['schedule'],
    ['check'],
    ['import'],
    ['payment', 'record'],
    ['payment', 'reverse'],
    ['charge', 'add'],
    ['charge', 'waive'],
    ['product', 'load'],
    ['seed'],
    ['staff', 'add'],
    ['staff', 'disable'],
    ['staff', 'enable'],
    ['unlock'],
  ])('helps with %s %s', async (...command) => {
    expect(await kist([...command.filter(Boolean), '--help'])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`Usage: kist ${command.filter(Boolean).join(' ')}`),
    })
  })
  it.each([
    [['nothing'], /unknown command/],
    [['check', '--loudly'], /unknown option/],
    [['import', '/nowhere.csv'], /no such file/],
    [['schedule', '/nowhere.json'], /cannot be read/],
    [['payment', 'record', '--lan', 'x'], /required option/],
  ])('says in one line what is wrong with %s', async (args, message) => {
    expect(await kist(args)).toEqual(refused(message))
  })
})

describe('kist schedule', () => {
  const loan = {
    disbursals: [{ date: '2026-01-05', amount: 120000 }],
    annual_rate_percent: 12,
    instalments: 12,
    first_due_date: '2026-02-05',
    as_of: '2026-02-01',
  }

  it('answers from standard input, and refuses bad terms with 2', async () => {
    expect(JSON.parse((await kistProcess(['schedule', '-'], JSON.stringify(loan))).out)).toMatchObject({
      instalment: 10_662,
      loan_status: 'ACTIVE',
    })
    expect(await kistProcess(['schedule', '-'], JSON.stringify({ ...loan, instalments: 0 }))).toEqual(
      refused(/instalments: must be a whole number/, 2),
    )
  })

  it('without a day, answers as of today by the clock of the portal', async () => {
    vi.stubEnv('KIST_CLOCK', '2026-03-07T06:30:00Z')
    vi.stubEnv('KIST_DATA_DIR', join(settings.directory, 'unused'))
    const ran = await kistProcess(['schedule', '-'], JSON.stringify({ ...loan, as_of: undefined }))
    vi.stubEnv('KIST_CLOCK', undefined)
    vi.stubEnv('KIST_DATA_DIR', settings.directory)
    expect(existsSync(join(settings.directory, 'unused'))).toBe(false)
    expect(JSON.parse(ran.out)).toMatchObject({ dpd: 31, dues: 21_324 })
  })

  it('needs no settings with a day', async () => {
    vi.stubEnv('KIST_CLOCK', 'late')
    const ran = await kistProcess(['schedule', '-'], JSON.stringify(loan))
    vi.stubEnv('KIST_CLOCK', undefined)
    expect(ran.code).toBe(0)
  })
})

describe('the operator', () => {
  it('records a payment once, and takes it back once, each with one notice', async () => {
    const args = at(record, today())
    expect(await kist([...args, '--amount', '5000'])).toEqual(
      done(new RegExp(`^recorded: ₹5000.00 by neft UTR1, counting from ${today()}, for loan ${lan}; receipt ${lan}-R[1-9][0-9]*$`)),
    )
    expect(await kist([...args, '--amount', '5000'])).toEqual(done(/^unchanged: /))
    expect(await kist([...args, '--amount', '5001'])).toEqual(refused(/recorded before with another/))
    expect(await kist(['check'])).toEqual(done(/^invariants: \d+ checked, 0 broken$/))
    const reverse = ['payment', 'reverse', '--lan', lan, '--mode', 'neft', '--reference', 'UTR1']
    expect(await kist([...reverse, '--amount', '1'])).toEqual(refused(/another amount/))
    expect(await kist(reverse)).toEqual(done(`reversed: ₹5000.00 by neft UTR1 of loan ${lan}`))
    expect(await kist(reverse)).toEqual(refused(/reversed before/))
    expect(await kist(['check'])).toEqual(done(/0 broken$/))
    const notices = await context.database.asSystem((sql) =>
      sql.selectFrom('notices').select(['kind', 'amount_paise', 'payment_link_id', 'created_at']).where('lan', '=', lan).execute(),
    )
    const since = Date.now() - 3_600_000
    expect(notices.filter(({ created_at }) => created_at.getTime() > since).map(({ kind, amount_paise }) => [kind, amount_paise])).toEqual([
      ['payment_applied', 500_000n],
      ['payment_reversed', 500_000n],
    ])
  })
  it.each([
    ['an amount', ['--amount', '1e3'], /must be rupees/],
    ['no amount', ['--amount', '0'], /must be rupees/],
    ['a date', ['--amount', '5', '--value-date', '2026-02-30'], /must be a date/],
    ['a day ahead', ['--amount', '5', '--value-date', '2199-01-01'], /is in the future/],
    ['a loan', ['--amount', '5', '--lan', 'KST-0'], /no loan KST-0/],
    ['a mode', ['--amount', '5', '--mode', 'barter'], /Allowed choices/],
    ['a purpose', ['--amount', '5', '--purpose', 'FUN'], /Allowed choices/],
  ])('is told of %s that is not right', async (_what, more, message) => {
    expect(await kist([...record, ...more])).toEqual(refused(message))
  })
  it('adds a charge with its tax, and waives both at once', async () => {
    const add = ['charge', 'add', '--lan', lan, '--type', 'BOUNCE_CHARGE', '--amount', '500', '--tax-percent', '18', '--reference', 'b1']
    expect(await kist(add)).toEqual(
      done(`added: BOUNCE_CHARGE ₹500.00 as charge:b1, BOUNCE_CHARGE_TAX ₹90.00 as charge:b1:tax to loan ${lan}`),
    )
    expect(await kist(add)).toEqual(done(/^unchanged: /))
    expect(await kist([...add, '--penal'])).toEqual(refused(/has no tax/))
    expect(await kist(['charge', 'waive', '--lan', lan, '--charge', 'charge:b1'])).toEqual(
      done(`waived: ₹590.00 of charge charge:b1 of loan ${lan}`),
    )
    expect(await kist(['charge', 'waive', '--lan', lan, '--charge', 'charge:b1'])).toEqual(done(/^unchanged: /))
    // The longest reference makes a longer id; and the loan has no such charge.
    const longest = `charge:${'b'.repeat(64)}:tax`
    expect(await kist(['charge', 'waive', '--lan', lan, '--charge', longest])).toEqual(
      refused(new RegExp(`no open charge ${longest}; open`)),
    )
    expect(await kist(['charge', 'waive', '--lan', lan, '--charge', 'c'.repeat(101)])).toEqual(refused(/1 to 100 characters/))
    expect(await kist(['charge', 'waive', '--lan', lan, '--charge', 'none'])).toEqual(refused(/no open charge none; open are: late:/))
    // With the principal it is more than the contract's largest amount.
    const largest = ['charge', 'add', '--lan', lan, '--type', 'BOUNCE_CHARGE', '--amount', '9999999999999']
    expect(await kist(largest)).toEqual(refused(/does not allow the charge: the amounts are too large/))
    const notices = await context.database.asSystem((sql) =>
      sql
        .selectFrom('notices')
        .select(['kind', 'amount_paise', 'about_on'])
        .where('lan', '=', lan)
        .where('kind', 'in', ['charge_added', 'charge_waived'])
        .execute(),
    )
    expect(notices).toEqual([
      { kind: 'charge_added', amount_paise: 59_000n, about_on: today() },
      { kind: 'charge_waived', amount_paise: 59_000n, about_on: today() },
    ])
  })
  it('changes no loan while a payment link is open, but records what has happened', async () => {
    await context.database.asSystem((sql) =>
      sql
        .updateTable('payment_links')
        .set({ status: 'created' })
        .where('loan_id', 'in', sql.selectFrom('loan_numbers').select('loan_id').where('lan', '=', 'KST-25-002650'))
        .where(
          'payment_intent_id',
          'in',
          sql
            .selectFrom('payment_links as latest')
            .select((link) => link.cast<string>(link.fn.max(link.cast<string>('latest.payment_intent_id', 'text')), 'uuid').as('id'))
            .groupBy('latest.loan_id'),
        )
        .execute(),
    )
    const args = [...at(record, today()), '--amount', '100', '--lan', 'KST-25-002650']
    const charge = ['charge', 'add', '--lan', 'KST-25-002650', '--type', 'BOUNCE_CHARGE', '--amount', '500', '--reference', 'b2']
    expect(await kist(charge)).toEqual(
      refused(/has the open payment link KST-\S+, which the borrower can pay until \S+Z: give --cancel-link, or wait/),
    )
    expect(await kist([...charge, '--cancel-link'])).toEqual(refused(/payment provider cannot be reached. Nothing was changed/))
    expect(await kist(args)).toEqual(done(/^recorded: .*; the provider did not confirm that the open payment link KST-\S+ is cancelled/))
  })
  it('loads a product version once, all of a file or nothing', async () => {
    const terms = {
      name: 'Car',
      rate_type: 'fixed',
      interest: 'monthly',
      instalment_rounding: 'rupee_up',
      allocation: 'instalments_first',
      late_charge: null,
      prepayment_charge: null,
      part_payment_minimum: null,
      link_maximum: 500_000,
    }
    const product = (version: number, more: object = {}) => ({
      product_code: 'car',
      product_version: version,
      terms: { ...terms, ...more },
    })
    const both = file('car.json', JSON.stringify([product(1), product(2, { name: 'Car 2' })]))
    expect(await kist(['product', 'load', both])).toEqual(done('loaded: product car version 1\nloaded: product car version 2'))
    expect(await kist(['product', 'load', both])).toEqual(done(/^unchanged/))
    expect(await kist(['product', 'load', file('other.json', JSON.stringify([product(3), product(1, { name: 'Other' })]))])).toEqual(
      refused(/is loaded with other terms/),
    )
    expect(await kist(['product', 'load', file('daily.json', JSON.stringify(product(3, { interest: 'daily' })))])).toEqual(
      refused(/terms.interest/),
    )
    const floating = product(3, { rate_type: 'floating', prepayment_charge: { percent: 2, tax_percent: 18 } })
    expect(await kist(['product', 'load', file('floating.json', JSON.stringify(floating))])).toEqual(
      refused(/car version 3: a floating-rate loan to an individual must not have a prepayment charge/),
    )
    expect(await kist(['product', 'load', file('half.json', '{')])).toEqual(refused(/not JSON/))
    const faulty = { ...product(3, { name: undefined, grace: 1 }), product_version: '3' }
    expect(await kist(['product', 'load', file('faulty.json', `\uFEFF${JSON.stringify(faulty)}`)])).toEqual(
      refused(/product_version must be a number; terms.name is missing; terms has the unknown field grace$/),
    )
    const graceless = product(3, { late_charge: { grace_days: -1, amount: 500 }, disclosed_charges: ['LATE_PAYMENT_CHARGE'] })
    expect(await kist(['product', 'load', file('graceless.json', JSON.stringify(graceless))])).toEqual(
      refused(/car version 3: late_charge.grace_days must be from 0 to 365$/),
    )
    const versions = await context.database.asSystem((sql) =>
      sql.selectFrom('loan_products').select('product_version').where('product_code', '=', 'car').execute(),
    )
    expect(versions.map(({ product_version }) => product_version)).toEqual([1, 2])
  })
  it('adds staff and shuts them out', async () => {
    const add = [
      'staff',
      'add',
      '--phone',
      '9111111111',
      '--first-name',
      'Nila',
      '--last-name',
      'Sen',
      '--roles',
      'tech/assume',
      '--permissions',
      'user:assume',
    ]
    expect(await kist(add)).toEqual(done('added: Nila Sen as staff with tech/assume, user:assume'))
    expect(await kist(add)).toEqual(done(/^unchanged/))
    expect(await kist([...add, '--permissions', 'operations:read,user:assume'])).toEqual(refused(/with other particulars: permissions$/))
    expect(await kist([...add, '--email', 'nila@example.in', '--last-name', 'Roy'])).toEqual(
      refused(/The phone \+919111111111 belongs to a staff member with other particulars: name, e-mail$/),
    )
    expect(await kist([...add, '--phone', demoPhone(1)])).toEqual(refused(/belongs to a borrower/))
    expect(await kist([...add, '--roles', 'king'])).toEqual(refused(/no role king/))
    expect(await kist([...add, '--last-name', 'S\u202een'])).toEqual(refused(/no character that cannot be shown/))
    expect(await kist([...add, '--last-name', ' '])).toEqual(refused(/must be 1 to 100 characters/))
    expect(await kist([...add, '--first-name', 'N'.repeat(101)])).toEqual(refused(/must be 1 to 100 characters/))
    for (const email of ['nila', '', `${'n'.repeat(250)}@x.in`])
      expect(await kist([...add, '--email', email])).toEqual(refused(/must be an e-mail address of at most 254 characters/))
    for (const reason of ['Joined\u0007 today', 'Joined \u202etoday'])
      expect(await kist([...add, '--reason', reason])).toEqual(refused(/no character that cannot be shown/))
    expect(await kist(['staff', 'disable', '--phone', '9111111111'])).toEqual(done('disabled: Nila Sen'))
    expect(await kist(['staff', 'disable', '--phone', '9111111111'])).toEqual(done(/^unchanged/))
    expect(await kist(['staff', 'disable', '--phone', demoPhone(1)])).toEqual(refused(/No staff member/))
  })
  it('enables staff again, with the particulars from before', async () => {
    const add = ['staff', 'add', '--phone', '9111111111', '--first-name', 'Nila', '--last-name', 'Sen', '--roles', 'tech/assume']
    expect(await kist([...add, '--permissions', 'user:assume'])).toEqual(
      refused(/belongs to Nila Sen, who is disabled: kist staff enable$/),
    )
    expect(await kist(['staff', 'enable', '--phone', '9111111111'])).toEqual(done('enabled: Nila Sen with tech/assume, user:assume'))
    expect(await kist(['staff', 'enable', '--phone', '9111111111'])).toEqual(done('unchanged: Nila Sen is enabled'))
    expect(await kist(['staff', 'enable', '--phone', demoPhone(1)])).toEqual(refused(/No staff member/))
    const second = ['staff', 'add', '--phone', '9111111112', '--first-name', 'Omar', '--last-name', 'Ali', '--roles', 'tech/assume']
    const permissions = 'operations:read,operations:propose'
    expect(await kist([...second, '--email', 'omar@example.in', '--permissions', permissions])).toEqual(done(/^added/))
    expect(await kist([...second, '--email', 'Omar@example.in', '--permissions', 'operations:propose,operations:read'])).toEqual(
      done(/^unchanged/),
    )
    expect(await kist([...second, '--permissions', permissions])).toEqual(done(/^unchanged/))
  })
  it('changes what is given of a staff member, with the roles and permissions before and after in the log', async () => {
    const change = ['staff', 'change', '--phone', '9111111112']
    expect(await kist(change)).toEqual(done(/^unchanged: Omar Ali has these particulars; warning: /))
    expect(await kist([...change, '--permissions', 'operations:read,king'])).toEqual(refused(/no permission king/))
    expect(await kist([...change, '--new-phone', demoPhone(1)])).toEqual(refused(/belongs to somebody/))
    expect(await kist([...change, '--permissions', 'operations:read', '--new-phone', '9111111113'])).toEqual(
      done(/^changed: phone, permissions of Omar Ali, who has to sign in again; warning: without --pan /),
    )
    expect(await kist([...change, '--roles', 'tech/assume'])).toEqual(refused(/No staff member has the phone/))
    const { detail } = await context.database.asSystem((sql) =>
      sql.selectFrom('access_log').select('detail').where('action', '=', 'staff_changed').executeTakeFirstOrThrow(),
    )
    expect(detail).toMatchObject({
      changed: 'phone permissions',
      roles_before: 'tech/assume',
      roles: 'tech/assume',
      permissions_before: 'operations:read operations:propose',
      permissions: 'operations:read',
    })
    const add = ['staff', 'add', '--phone', '9111111113', '--first-name', 'Omar', '--last-name', 'Ali', '--roles', 'tech/assume']
    expect(await kist([...add, '--email', 'omar@example.in', '--permissions', 'operations:read'])).toEqual(done(/^unchanged/))
  })
  it('unlocks a phone', async () => {
    await context.database.asSystem(async (sql) => {
      const owner = await lockOwner(sql, { phone: demoPhone(4), userId: crypto.randomUUID(), deviceHash: null })
      await saveFailures(sql, owner, 9, new Date(Date.now() + 3_600_000))
    })
    expect(await kist(['unlock', '--phone', demoPhone(4)])).toEqual(done(/^unlocked: /))
    expect(await kist(['unlock', '--phone', demoPhone(4)])).toEqual(done(/^unchanged: /))
    expect(await kist(['unlock', '--phone', '9999999999'])).toEqual(refused(/Nobody has the phone/))
  })
  it('imports a file, and tells each bad line', async () => {
    const good = 'record,phone,first_name,last_name\nborrower,9811111111,Omkar,Joshi\n'
    expect(await kist(['import', file('good.csv', good)])).toEqual(done(/^imported: 1 borrowers/))
    expect(await kist(['import', file('good.csv', good)])).toEqual(done('unchanged: all 1 records were imported before'))
    const { code, err } = await kist(['import', file('bad.csv', `${good}borrower,12,,\n`)])
    expect([code, err.split('\n')]).toEqual([
      1,
      [
        'line 3: phone: "12" is not ten digits, or + and the country code',
        'line 3: first_name: is missing',
        'line 3: last_name: is missing',
        'kist: 3 lines are wrong; nothing was imported',
      ],
    ])
  })
  it('leaves a line in the access log for everything that changed something, and for nothing else', async () => {
    const lines = await context.database.asSystem((sql) =>
      sql.selectFrom('access_log').select(['action', 'actor_id']).orderBy('entry_id').execute(),
    )
    expect(new Set(lines.map(({ actor_id }) => actor_id))).toEqual(new Set(['operator']))
    expect(lines.map(({ action }) => action)).toEqual([
      'payment_recorded',
      'payment_reversed',
      'charge_added',
      'charge_waived',
      'payment_recorded',
      'product_loaded',
      'product_loaded',
      'staff_added',
      'staff_disabled',
      'staff_enabled',
      'staff_added',
      'staff_changed',
      'sign_in_unlocked',
      'book_imported',
    ])
  })
  it('is told by check what is broken, with exit 1', async () => {
    await context.database.asSystem((sql) => sql.updateTable('loans').set({ ledger_sequence: 99n }).where('lan', '=', lan).execute())
    const { code, out } = await kist(['check'])
    expect([code, out.split('\n')]).toEqual([
      1,
      expect.arrayContaining([
        expect.stringMatching(new RegExp(`^I24 loan ${lan} has `)),
        expect.stringMatching(/^invariants: \d+ checked, [12] broken$/),
      ]),
    ])
  })
})

describe('kist migrate', () => {
  it('runs what is pending, once, and is what an empty database is told to want', async () => {
    const unchanged = 'unchanged: no migration is pending'
    const claimed = 'claimed: the bucket was empty and belongs to this database now'
    expect(await kist(['migrate'])).toMatchObject({ code: 0, out: `${unchanged}\n${claimed}` })
    expect(await kist(['migrate'])).toMatchObject({ code: 0, out: unchanged })
    await asSuperuser('alter table schema_migrations rename to migrations_elsewhere')
    expect((await kist(['doctor'])).out).toMatch(/^wrong {3}migrations: none ran, the database is empty: run kist migrate$/m)
    await asSuperuser('alter table migrations_elsewhere rename to schema_migrations')
    await asSuperuser('alter table loan_products rename to products_elsewhere')
    expect((await kist(['product', 'load', 'testkit/demo-book-product.json'])).err).toMatch(
      /is not at the schema of this version .*: run kist migrate/,
    )
    await asSuperuser('alter table products_elsewhere rename to loan_products')
  })
})

describe('kist audit verify', () => {
  it('says that the access log is whole, and with exit 1 where it is not', async () => {
    const whole = await kist(['audit', 'verify'])
    expect(whole).toMatchObject({ code: 0, out: expect.stringMatching(/^audit: \d+ lines in \d+ chains, \d+ anchors, 0 broken$/) })
    expect(await kist(['audit', 'verify', '--key', 'package.json'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('package.json is not a PEM'),
    })
    await asSuperuser("update access_log set actor_id = 'nobody' where entry_id = (select entry_id from access_log limit 1)")
    const broken = await kist(['audit', 'verify'])
    expect(broken.code).toBe(1)
    expect(broken.out).toMatch(/1 broken\n {2}\S+ line \d+: content does not match its hash/)
  })
})
