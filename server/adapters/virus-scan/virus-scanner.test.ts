import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { clamdScanner } from './clamd.ts'
import { localScanner, testVirus } from './local.ts'
import type { VirusScanner } from './virus-scanner.ts'

const scratch = mkdtempSync(join(tmpdir(), 'kist-scan-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
let files = 0
const fileOf = (content: string | Buffer): string => {
  files += 1
  const path = join(scratch, String(files))
  writeFileSync(path, content)
  return path
}

/**
 * A test daemon for INSTREAM on a port or socket: it detects the test virus, and closes the
 * connection above a size, like the real one.
 */
function daemon(address: number | string, answer: (content: Buffer) => string | null) {
  const server = createServer((socket) => {
    let got = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      got = Buffer.concat([got, chunk])
      const content: Buffer[] = []
      let at = 10
      if (got.toString('latin1', 0, 10) !== 'zINSTREAM\0') return
      while (at + 4 <= got.length) {
        const length = got.readUInt32BE(at)
        if (length === 0) {
          const reply = answer(Buffer.concat(content))
          if (reply === null) socket.destroy()
          else socket.end(`${reply}\0`)
          return
        }
        if (at + 4 + length > got.length) return
        content.push(got.subarray(at + 4, at + 4 + length))
        at += 4 + length
      }
    })
  })
  return new Promise<typeof server>((resolve) => server.listen(address, () => resolve(server)))
}
const knows = (content: Buffer) => (content.includes(testVirus) ? 'stream: Eicar-Test-Signature FOUND' : 'stream: OK')

const scanners: Record<string, () => Promise<{ scanner: VirusScanner; stop(): void }>> = {
  'the local twin': async () => ({ scanner: localScanner(), stop: () => {} }),
  'clamd on a port': async () => {
    const server = await daemon(0, knows)
    return { scanner: clamdScanner(`127.0.0.1:${(server.address() as AddressInfo).port}`), stop: () => server.close() }
  },
  'clamd on a socket': async () => {
    const path = join(scratch, 'clamd.sock')
    const server = await daemon(path, knows)
    return { scanner: clamdScanner(path), stop: () => server.close() }
  },
}

describe.each(Object.entries(scanners))('%s', (_name, make) => {
  it('accepts clean files, and finds the test virus at the start, in the middle and across chunks', async () => {
    const { scanner, stop } = await make()
    expect(await scanner.scan(fileOf('nothing'))).toEqual({ kind: 'clean' })
    expect(await scanner.scan(fileOf(Buffer.alloc(3_000_000, 1)))).toEqual({ kind: 'clean' })
    const expected = { kind: 'infected', name: 'Eicar-Test-Signature' }
    expect(await scanner.scan(fileOf(testVirus))).toEqual(expected)
    expect(await scanner.scan(fileOf(`${'x'.repeat(65_536 - 20)}${testVirus}${'x'.repeat(100_000)}`))).toEqual(expected)
    stop()
  })
})

describe('clamd', () => {
  it('is unknown, never clean, if the daemon is unreachable, hangs up, or answers something else', async () => {
    expect(await clamdScanner('127.0.0.1:1').scan(fileOf('x'))).toMatchObject({ kind: 'unknown' })
    expect(await clamdScanner(join(scratch, 'no.sock')).scan(fileOf('x'))).toMatchObject({ kind: 'unknown' })
    for (const reply of [null, 'INSTREAM size limit exceeded. ERROR', 'stream: OKAY', '']) {
      const server = await daemon(0, () => reply)
      expect([reply, (await clamdScanner(`127.0.0.1:${(server.address() as AddressInfo).port}`).scan(fileOf('x'))).kind]).toEqual([
        reply,
        'unknown',
      ])
      server.close()
    }
  })
})
