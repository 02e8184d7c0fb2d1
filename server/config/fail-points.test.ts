import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { createFailPoints } from './fail-points.ts'

const parent = mkdtempSync(join(tmpdir(), 'kist-fail-points-'))
afterAll(() => rmSync(parent, { recursive: true, force: true }))
const fresh = (name: string) => join(parent, name)

it('checks nothing if none are set', async () => {
  const directory = fresh('unset')
  await createFailPoints(null, directory)('link_made')
  expect(existsSync(directory)).toBe(false)
})
it('acts once, only at its step', async () => {
  const reach = createFailPoints('link_made:throw', fresh('throw'))
  await reach('intent_stored')
  await expect(reach('link_made')).rejects.toThrow(/link_made/)
  await reach('link_made')
})
it('holds until it is released, and shows that it was reached', async () => {
  const directory = fresh('hold')
  const reach = createFailPoints('event_stored:hold', directory)
  let isThrough = false
  const passing = reach('event_stored').then(() => (isThrough = true))
  await vi.waitFor(() => expect(readdirSync(directory)).toEqual(['event_stored.reached']), 60_000)
  expect(isThrough).toBe(false)
  rmSync(join(directory, 'event_stored.reached'))
  await passing
})
it('ends the process like kill -9', () => {
  const program = `import { createFailPoints } from '${join(import.meta.dirname, 'fail-points.ts')}'
    await createFailPoints('posting_written:exit', '${fresh('exit')}')('posting_written')
    console.log('still here')`
  const { signal, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect([signal, stdout]).toEqual(['SIGKILL', ''])
})
