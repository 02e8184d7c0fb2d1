import { createHash } from 'node:crypto'
import { sql as raw } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { apiPrefix } from '#contract/endpoint.ts'
import { assumeRole, type Permission } from '#contract/permissions.ts'
import { nilUuid } from '#contract/uuid.ts'
import { addMonths, dayInIndia } from '#domain/calendar.ts'
import { addLoan, addPerson, addProduct, educationLoan, nextFifth } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { approve, propose, proposalOf } from '#testkit/operations-staff.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { fetchFile, pdf, png } from '../documents/files.testing.ts'
import { findKeysInUse } from '../documents/document-store.ts'
import { purgeExpired } from '../privacy/purge-expired.ts'

let app: App
let maker: string
let checker: string
let borrower: string
let other: string

beforeAll(async () => {
  app = await startApp(inject('cluster'))
  const now = app.clock.now()
  await addProduct(app.database, now, 'education', educationLoan)
  maker = await signInStaff('+919000020001', ['operations:read', 'operations:propose'])
  checker = await signInStaff('+919000020002', ['operations:read', 'operations:approve'])
  borrower = await addBorrower('+919000020003', 'PP-1')
  other = await addBorrower('+919000020004', 'PP-2')
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
})

async function signInStaff(phone: string, permissions: readonly Permission[], more: { email?: string } = {}): Promise<string> {
  const staff = { ...more, phone, firstName: 'Asha', lastName: phone.slice(-4), kind: 'staff', roles: [assumeRole] } as const
  await addPerson(app.database, app.clock.now(), { ...staff, permissions })
  return app.signIn(phone)
}

async function addBorrower(phone: string, lan: string, more: { email?: string } = {}): Promise<string> {
  const now = app.clock.now()
  const borrowerId = await addPerson(app.database, now, { ...more, phone, firstName: 'Tara', lastName: lan })
  const firstDueDate = nextFifth(dayInIndia(now))
  const loan = { lan, title: 'Test', sanctionedRupees: 100_000, annualRatePercent: 11, instalments: 12, firstDueDate }
  await addLoan(app.database, now, borrowerId, { ...loan, disbursals: [{ date: addMonths(firstDueDate, -1, 5), rupees: 100_000 }] })
  return app.signIn(phone)
}

async function upload(content: Buffer, { name = 'KFS.pdf', type = 'application/pdf', lan = 'PP-1', paper = 'kfs', token = maker } = {}) {
  const form = new FormData()
  form.set('lan', lan)
  form.set('paper', paper)
  form.set('file', new File([new Uint8Array(content)], name, { type }))
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${app.url}${apiPrefix}/operations/loan-papers`, { method: 'POST', body: form, headers })
  return { status: response.status, body: (await response.json()) as { code?: string; loan_paper?: { id: string; sha256: string } } }
}
const publication = (paperId: string | undefined, lan = 'PP-1') => ({ kind: 'paper_publish', lan, input: { paper_id: paperId ?? '' } })
const papersOf = async (token: string, lan: string) =>
  (await app.get(`/portal/loan-papers?application_id=${lan}`, token)).body['loan_papers'] as Record<string, unknown>[]

it('of any borrower is found by its id with an index', async () => {
  const plan = await app.database.asSystem(async (sql) => {
    // The table of a test is so small that reading all rows costs less.
    await raw`set local enable_seqscan = off`.execute(sql)
    const query = raw<{ 'QUERY PLAN': string }>`explain select * from loan_papers where paper_id = ${nilUuid}`
    return (await query.execute(sql)).rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  expect(plan).toContain('loan_papers_by_id')
})

describe('a paper', () => {
  it('is uploaded, seen by the checker, published, and opened by its borrower only', async () => {
    const content = pdf({ objects: '% agreement' })
    const { body } = await upload(content, { name: 'Key facts.pdf' })
    const id = body.loan_paper?.id ?? ''
    const sha256 = createHash('sha256').update(content).digest('hex')
    expect(body.loan_paper).toMatchObject({ paper: 'kfs', filename: 'Key facts.pdf', sha256, published_at: null })
    // Nobody but staff sees it before.
    expect(await papersOf(borrower, 'PP-1')).toEqual([])
    expect((await fetchFile(app, `/portal/loan-papers/${id}`, borrower)).status).toBe(404)
    expect(Buffer.from(await (await fetchFile(app, `/operations/loan-papers/${id}`, checker)).arrayBuffer())).toEqual(content)

    const proposal = proposalOf(await propose(app, maker, publication(id)))
    expect(proposal.preview).toMatchObject({ before: { paper_state: 'waiting', sha256 }, after: { paper_state: 'published', sha256 } })
    expect((await approve(app, checker, proposal)).status).toBe(200)
    expect(await papersOf(borrower, 'PP-1')).toMatchObject([{ id, paper: 'kfs', filename: 'Key facts.pdf', sha256 }])
    const opened = await fetchFile(app, `/portal/loan-papers/${id}`, borrower)
    expect([opened.status, opened.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    expect(Buffer.from(await opened.arrayBuffer())).toEqual(content)
    expect((await fetchFile(app, `/portal/loan-papers/${id}`, other)).status).toBe(404)
    expect((await app.get('/portal/loan-papers?application_id=PP-1', other)).status).toBe(404)
    const { notices } = (await app.get('/portal/notices', borrower)).body as { notices: { kind: string; subject: string }[] }
    expect(notices).toMatchObject([{ kind: 'paper_published', subject: 'Key facts.pdf' }])
    const entries = await app.database.asSystem((sql) =>
      sql
        .selectFrom('access_log')
        .select('action')
        .where('action', 'in', ['paper_uploaded', 'paper_published', 'document_opened'])
        .orderBy('at')
        .orderBy('entry_id')
        .execute(),
    )
    expect(entries.map(({ action }) => action)).toEqual(['paper_uploaded', 'paper_published', 'document_opened'])

    // The same bytes again are the same paper.
    const again = await upload(content)
    const second = proposalOf(await propose(app, maker, publication(again.body.loan_paper?.id)))
    expect(await approve(app, checker, second)).toMatchObject({ status: 422, body: { code: 'ProposalRefused' } })
    expect((await app.post('/operations/previews', publication(id), maker)).status).toBe(422)
  })

  it.each<[string, Buffer, Parameters<typeof upload>[1], number, string]>([
    ['a file named .pdf that is no PDF', Buffer.from('MZ program'), {}, 415, 'FileTypeUnsupported'],
    ['a picture', png(), { name: 'kfs.png', type: 'image/png' }, 415, 'FileTypeUnsupported'],
    ['a picture that says it is a PDF', png(), {}, 415, 'FileTypeUnsupported'],
    ['an empty file', Buffer.alloc(0), {}, 400, 'FileEmpty'],
    ['a PDF with JavaScript', pdf({ objects: '4 0 obj\n<< /S /JavaScript /JS (app.alert(1)) >>\nendobj' }), {}, 422, 'FileRefused'],
    ['another kind of paper', pdf(), { paper: 'passport' }, 400, 'InvalidRequest'],
    ['a loan that is none', pdf(), { lan: 'PP-9' }, 404, 'NotFound'],
  ])('refuses %s', async (_name, content, more, status, code) => {
    const { status: answered, body } = await upload(content, more)
    expect([answered, body.code]).toEqual([status, code])
  })

  it('is uploaded by those who propose only', async () => {
    expect((await upload(pdf(), { token: checker })).status).toBe(403)
    expect((await upload(pdf(), { token: borrower })).status).toBe(403)
  })

  it('is opened by staff whose own loan it is of, as they read that loan, and uploaded by another person only', async () => {
    const own = { email: 'tara.staff@example.in' }
    await addBorrower('+919000020005', 'PP-3', own)
    const token = await signInStaff('+919000020006', ['operations:read', 'operations:propose'], own)
    const { body } = await upload(pdf({ objects: '% own' }), { lan: 'PP-3' })
    expect((await app.get('/operations/loans/PP-3', token)).body).toMatchObject({ is_own: true })
    expect((await fetchFile(app, `/operations/loan-papers/${body.loan_paper?.id}`, token)).status).toBe(200)
    expect(await upload(pdf({ objects: '% own, by themselves' }), { lan: 'PP-3', token })).toMatchObject({
      status: 403,
      body: { code: 'FourEyes' },
    })
  })

  it('of another loan cannot be published for this one', async () => {
    const { body } = await upload(pdf(), { lan: 'PP-2' })
    expect((await app.post('/operations/previews', publication(body.loan_paper?.id), maker)).status).toBe(404)
    expect((await app.post('/operations/previews', { ...publication(body.loan_paper?.id), lan: undefined }, maker)).status).toBe(422)
  })

  it('that was not published within seven days is deleted, and none that was, or is proposed', async () => {
    const { body } = await upload(pdf({ objects: '% never published' }), { lan: 'PP-2' })
    const { body: proposed } = await upload(pdf({ objects: '% proposed' }), { lan: 'PP-2' })
    const keys = () => app.database.asSystem((sql) => sql.selectFrom('loan_papers').select(['paper_id', 'storage_key']).execute())
    const before = await keys()
    const used = await app.database.asSystem((sql) =>
      findKeysInUse(
        sql,
        before.map(({ storage_key }) => storage_key),
      ),
    )
    expect(used.size).toBe(before.length)
    const after8Days = new Date(app.clock.now().getTime() + 8 * 86_400_000)
    const later = { now: () => after8Days }
    const { id: proposalId } = proposalOf(await propose(app, maker, publication(proposed.loan_paper?.id, 'PP-2')))
    await app.database.asSystem((sql) =>
      sql.updateTable('operation_proposals').set({ expires_at: after8Days }).where('proposal_id', '=', proposalId).execute(),
    )
    await purgeExpired({ ...app.context, clock: { now: () => new Date(after8Days.getTime() - 1) } })
    expect((await keys()).map(({ paper_id }) => paper_id)).toContain(proposed.loan_paper?.id)
    await purgeExpired({ ...app.context, clock: later })
    const left = (await keys()).map(({ paper_id }) => paper_id)
    expect(left).not.toContain(proposed.loan_paper?.id)
    expect(left).not.toContain(body.loan_paper?.id)
    expect(left).toContain((await papersOf(borrower, 'PP-1'))[0]?.['id'])
  })
})
