import type { Config } from '#server/config/config.ts'

/** One thing that was looked at: whether it is as it must be, and what to do where it is not. */
export type Finding = { state: 'ok' | 'warning' | 'wrong'; about: string; says: string }

/** Looks at one thing. What it throws is wrong too. */
export type Examination = (config: Config) => Promise<Finding[]>

/** How far two clocks may be apart: codes live five minutes, a payment's day ends at midnight. */
export const clockSkewMs = { warning: 2_000, wrong: 30_000 }

export function clockFinding(whose: string, differenceMs: number): Finding {
  const seconds = (Math.abs(differenceMs) / 1_000).toFixed(1)
  const state = Math.abs(differenceMs) > clockSkewMs.wrong ? 'wrong' : Math.abs(differenceMs) > clockSkewMs.warning ? 'warning' : 'ok'
  const advice = state === 'ok' ? '' : ': set both by NTP'
  return { state, about: 'clocks', says: `${whose} is ${seconds} s ${differenceMs < 0 ? 'behind' : 'ahead of'} this machine${advice}` }
}
