import { describe, expect, it } from 'vitest'
import { applicationStages, isAwaitedDocument, buildStageProgress, type ApplicationStage } from './applications.ts'
import { toDay, type Day } from './calendar.ts'

const reached = (...done: [ApplicationStage, string][]) =>
  buildStageProgress(new Map(done.map(([name, day]): [ApplicationStage, Day] => [name, toDay(day)]))).map(({ status, date }) => [
    status,
    date,
  ])

describe('the stages of an application', () => {
  it('have their days as far as they are done; the next one is current', () => {
    expect(reached(['submitted', '2026-11-14'], ['documents_verified', '2026-11-16'])).toEqual([
      ['done', '2026-11-14'],
      ['done', '2026-11-16'],
      ['current', null],
      ['waiting', null],
      ['waiting', null],
    ])
  })
  it('keep a stage done early, and are at the first that is not', () => {
    expect(reached(['submitted', '2026-11-14'], ['assessed', '2026-11-16']).map(([status]) => status)).toEqual([
      'done',
      'current',
      'done',
      'waiting',
      'waiting',
    ])
  })
  it('have none that is current when all are done', () => {
    const all = applicationStages.map((name): [ApplicationStage, string] => [name, '2026-11-14'])
    expect(reached(...all).map(([status]) => status)).toEqual(['done', 'done', 'done', 'done', 'done'])
  })
})

it('what is awaited is named by a closed list', () => {
  expect(['income_proof', 'pan_card', 'money', ''].filter(isAwaitedDocument)).toEqual(['income_proof', 'pan_card'])
})
