import { expect, it, vi } from 'vitest'
import { createLog } from '../log.ts'
import { createRequestLog } from './request-log.ts'

function open() {
  const lines: Record<string, unknown>[] = []
  const parent = createLog({ logLevel: 'info', production: true }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  return { parent, lines, log: createRequestLog(parent, { reqId: 'r-1' }, {}) }
}

it('a line carries the id of its request, and the redaction of the log', () => {
  const { log, lines } = open()
  log.warn({ phone: '9000000001' }, 'refused')
  expect(lines).toMatchObject([{ reqId: 'r-1', phone: '[hidden]', msg: 'refused', level: 40 }])
})

it('every level writes as the parent does, and a child keeps the id', () => {
  const { log, lines } = open()
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const) log[level](level)
  log.child({ part: 'a' }).info('child')
  expect(lines.map(({ msg, reqId, part }) => [msg, reqId, part])).toEqual([
    ...['info', 'warn', 'error', 'fatal'].map((level) => [level, 'r-1', undefined]),
    ['child', 'r-1', 'a'],
  ])
})

it('a request without a line creates no logger, one with lines creates one', () => {
  const { parent, log } = open()
  const child = vi.spyOn(parent, 'child')
  expect(log.level).toBe('info')
  expect(child).not.toHaveBeenCalled()
  log.info('first')
  log.info('second')
  expect(child).toHaveBeenCalledOnce()
})
