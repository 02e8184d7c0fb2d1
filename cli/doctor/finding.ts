import type { Config } from '#server/config/config.ts'
import type { LogArchive } from '#server/observability.ts'

/** The result of one check, and what to do if it failed. */
export type Finding = { state: 'ok' | 'warning' | 'wrong'; about: string; message: string }

/** A check. If it throws, the error becomes a finding. */
export type Examination = (config: Config) => Promise<Finding[]>

/** Maximum difference of two clocks: codes are valid for five minutes, and days end at midnight. */
const clockSkewMs = { warning: 2_000, wrong: 30_000 }

/** @param differenceMs positive: the other clock is ahead. */
export function clockFinding(whose: string, differenceMs: number): Finding {
  const seconds = (Math.abs(differenceMs) / 1_000).toFixed(1)
  const state = Math.abs(differenceMs) > clockSkewMs.wrong ? 'wrong' : Math.abs(differenceMs) > clockSkewMs.warning ? 'warning' : 'ok'
  const advice = state === 'ok' ? '' : ': set both by NTP'
  return { state, about: 'clocks', message: `${whose} is ${seconds} s ${differenceMs < 0 ? 'behind' : 'ahead of'} this machine${advice}` }
}

/** Names this machine, or is the folder of a socket. */
const isOnThisMachine = (host: string): boolean => /^(\/|localhost$|127\.|::1$)/.test(host)

/** @param host of the database. */
export function connectionFinding(host: string, isEncrypted: boolean): Finding {
  const about = 'database connection'
  if (isEncrypted) return { state: 'ok', about, message: `encrypted, to ${host}` }
  if (isOnThisMachine(host)) return { state: 'ok', about, message: `to ${host}, within this machine` }
  return {
    state: 'warning',
    about,
    message: `to ${host} without encryption: who is on the network between reads every row. Give DATABASE_URL sslmode=verify-full, unless that network is yours alone`,
  }
}

/**
 * With `archive_timeout` of the runbook, a segment is archived twice a minute. Without it, a quiet
 * database fills none for hours.
 */
const archiveSecondsMax = 900

/** @param archive null: archive_mode is off, as after a restore for a test. */
export function logArchiveFinding(archive: LogArchive | null, production: boolean): Finding {
  const about = 'log archive'
  if (!archive)
    return production
      ? { state: 'warning', about, message: 'archive_mode is off: a lost disk loses what was done since the last backup' }
      : { state: 'ok', about, message: 'archive_mode is off' }
  const message = `the last segment ${Math.round(archive.ageSeconds)} s ago`
  if (archive.isFailing) return { state: 'wrong', about, message: `archive_command fails, ${message}: the log of PostgreSQL says why` }
  if (archive.ageSeconds <= archiveSecondsMax) return { state: 'ok', about, message }
  return { state: 'warning', about, message: `${message}: too old if archive_timeout is 30 and the portal was running` }
}
