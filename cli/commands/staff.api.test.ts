import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { approve, proposalOf, propose } from '#testkit/operations-staff.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { runHere, stubKistSettings } from '#cli/kist.testing.ts'

/** A loan of the demo town, and the PAN of its borrower. */
const lan = 'KST-25-001208'
const borrowersPan = 'BLRPA2210B'
const everything = 'operations:read,operations:propose,operations:approve'
const charge = { kind: 'charge_add', lan, input: { charge_type: 'BOUNCE_CHARGE', amount: 590 } }

let app: App
let settings: ReturnType<typeof stubKistSettings>
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true })
  settings = stubKistSettings(app.databaseUrls)
})
afterAll(async () => {
  settings.restore()
  await app.close()
})

/** Runs a command as an operator does. @returns the exit code and what it printed. */
async function kist(...args: readonly string[]): Promise<{ code: number; printed: string }> {
  const { code, out, err } = await runHere(args)
  return { code, printed: out + err }
}

const addStaff = (phone: string, ...more: readonly string[]) =>
  kist('staff', 'add', '--phone', phone, '--first-name', 'Meera', '--last-name', 'Joshi', '--roles', 'tech/assume', ...more)
const changeStaff = (phone: string, ...more: readonly string[]) => kist('staff', 'change', '--phone', phone, ...more)
const withoutPan = '; warning: without --pan they can act on a loan of their own that has another phone and e-mail address'

describe('the PAN of a staff member', () => {
  it('given when the account is added, keeps them from proposing on and approving a loan of their own', async () => {
    const added = await addStaff('9822200001', '--permissions', everything, '--pan', ' blrpa2210b ')
    expect(added).toEqual({ code: 0, printed: `added: Meera Joshi as staff with tech/assume, ${everything.replaceAll(',', ', ')}` })
    const own = await app.signIn('+919822200001')
    expect((await app.get(`/operations/loans/${lan}`, own)).body).toMatchObject({ is_own: true })
    expect((await propose(app, own, charge)).body).toMatchObject({ status: 403, code: 'FourEyes' })
    await addStaff('9822200002', '--permissions', everything, '--pan', 'ABCPJ1234L')
    const proposal = proposalOf(await propose(app, await app.signIn('+919822200002'), charge))
    expect((await approve(app, own, proposal)).body).toMatchObject({ status: 403, code: 'FourEyes' })
  })

  it('given later, does so from then on; the access log has that it changed, not the PAN', async () => {
    await addStaff('9822200003', '--permissions', everything)
    expect((await app.get(`/operations/loans/${lan}`, await app.signIn('+919822200003'))).body).toMatchObject({ is_own: false })
    const changed = await changeStaff('9822200003', '--pan', borrowersPan)
    expect(changed).toEqual({ code: 0, printed: 'changed: PAN of Meera Joshi, who has to sign in again' })
    expect((await propose(app, await app.signIn('+919822200003'), charge)).body).toMatchObject({ code: 'FourEyes' })
    expect((await changeStaff('9822200003', '--email', 'meera@lender.example')).printed).toMatch(/^changed: e-mail of/)
    expect((await changeStaff('9822200003', '--pan', borrowersPan)).printed).toMatch(/^unchanged: /)
    const entries = await app.database.asSystem((sql) =>
      sql.selectFrom('access_log').select('detail').where('action', 'in', ['staff_added', 'staff_changed']).execute(),
    )
    expect(entries).toContainEqual({ detail: expect.objectContaining({ changed: 'PAN' }) as unknown })
    expect(JSON.stringify(entries)).not.toMatch(/BLRPA2210B|ABCPJ1234L/i)
  })

  it('belongs to what a repeated command compares, if it is given', async () => {
    expect((await addStaff('9822200002', '--permissions', everything)).printed).toMatch(/^unchanged: /)
    expect((await addStaff('9822200002', '--permissions', everything, '--pan', 'ABCPJ1234L')).printed).toMatch(/^unchanged: /)
    expect(await addStaff('9822200002', '--permissions', everything, '--pan', borrowersPan)).toMatchObject({
      code: 1,
      printed: expect.stringMatching(/with other particulars: PAN$/),
    })
  })

  it('is missed by a warning where the account has permissions of operations, and only there', async () => {
    expect((await addStaff('9822200004', '--permissions', 'user:assume')).printed).toBe(
      'added: Meera Joshi as staff with tech/assume, user:assume',
    )
    expect(await addStaff('9822200005', '--permissions', 'operations:read')).toEqual({
      code: 0,
      printed: `added: Meera Joshi as staff with tech/assume, operations:read${withoutPan}`,
    })
    expect((await addStaff('9822200005', '--permissions', 'operations:read')).printed).toMatch(/^unchanged: .*; warning: without --pan/)
    expect(await changeStaff('9822200004', '--permissions', 'operations:propose')).toEqual({
      code: 0,
      printed: `changed: permissions of Meera Joshi, who has to sign in again${withoutPan}`,
    })
    expect((await changeStaff('9822200004', '--pan', 'BCDPJ1234L')).printed).not.toContain('warning')
  })

  it('has the form of a PAN', async () => {
    for (const pan of ['', 'ABCPJ1234', 'ABCPJ12345', '1BCPJ1234L', 'ABCPJ1234LL'])
      expect(await addStaff('9822200006', '--pan', pan)).toMatchObject({
        code: 1,
        printed: expect.stringContaining('It must be five letters, four digits and a letter.'),
      })
  })
})
