import { afterAll, beforeAll, expect, it } from 'vitest'
import { lineOf, startHostileRun, type HostileRun } from './hostile-inputs.ts'
import { hostileParsers } from './hostile-parsers.ts'

const deadlineMs = 600_000
let run: HostileRun

beforeAll(async () => {
  run = await startHostileRun()
}, deadlineMs)
afterAll(() => run.close(), deadlineMs)

it.each(hostileParsers.map((parser) => [parser.name, parser] as const))(
  'hostile inputs %s: each is answered, none by 5xx, and none keeps the event loop for 50 ms',
  async (_name, parser) => {
    const outcome = await run.parse(parser)
    console.log(lineOf(outcome))
    expect(outcome.findings).toEqual([])
    expect(outcome.inputs).toBeGreaterThanOrEqual(250)
    expect(outcome.atLimit).toBeGreaterThanOrEqual(10)
  },
  deadlineMs,
)
