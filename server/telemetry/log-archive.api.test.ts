import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { queryOnce } from '#testkit/test-database.ts'
import { until } from '#testkit/until.ts'
import { connect, type Database } from '../database/connect.ts'
import { startEmbedded, type EmbeddedPostgres } from '../database/embedded.ts'
import { readLogArchive } from './figures-store.ts'

const directory = mkdtempSync(join(tmpdir(), 'kist-archive-'))
let postgres: EmbeddedPostgres
let database: Database

const start = async () => {
  postgres = await startEmbedded({ directory, durable: true })
  database = connect(postgres.appUrl, { connectionsMax: 1, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 })
}
const stop = async () => {
  await database.close()
  await postgres.stop()
}
beforeAll(start)
afterAll(async () => {
  await stop()
  rmSync(directory, { recursive: true, force: true })
})

const read = () => database.asSystem(readLogArchive)
const setAsSuperuser = async (setting: string) => {
  await queryOnce(postgres.superuserUrl, `alter system set ${setting}`)
  await queryOnce(postgres.superuserUrl, 'select pg_reload_conf()')
}
const endSegment = () => queryOnce(postgres.superuserUrl, "select pg_logical_emit_message(false, '', ''), pg_switch_wal()")

it('sees that the archiving of the log fails, and that it works again', async () => {
  expect(await read()).toBeNull()
  await setAsSuperuser('archive_mode = on')
  await setAsSuperuser("archive_command = 'false'")
  await stop()
  await start()
  const { ageSeconds: sinceStart = -1 } = (await read()) ?? {}
  expect(sinceStart).toBeGreaterThanOrEqual(0)
  expect(sinceStart).toBeLessThan(600)
  await endSegment()
  await until(async () => (await read())?.isFailing === true, 60_000)
  await setAsSuperuser("archive_command = 'true'")
  await endSegment()
  await until(async () => (await read())?.isFailing === false, 120_000)
})
