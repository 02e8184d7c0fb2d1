import type { Command } from 'commander'
import type { Config } from '#server/config/config.ts'
import { ConfigError, readConfig } from '#server/config/read-config.ts'
import { settings } from '#server/config/settings.ts'
import { databaseFindings } from './database.ts'
import type { Examination, Finding } from './finding.ts'
import { keyFindings, smsFindings, diskFindings, scannerFindings, storageFindings } from './machine.ts'
import { collectorFindings, providerFindings, webhookFindings } from './outside.ts'
import { withDatabase, type DatabaseContext } from '#cli/database-context.ts'

/** `kist doctor`: checks settings, keys, clocks, disk, database, provider and webhooks. */
export function addDoctorCommand(program: Command, reportFailure: () => void): void {
  program
    .command('doctor')
    .description('check settings, keys, clocks, disk, migrations, provider and webhooks; exit 1 if something is wrong')
    .action(async () => {
      const findings = await examine(process.env)
      console.log(reportOf(findings))
      if (findings.some(({ state }) => state === 'wrong')) reportFailure()
    })
}

/** Runs all checks in turn; a check that throws is a finding, and the others still run. */
export async function examine(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map((message) => ({ state: 'wrong', about: 'settings', message }))
    throw error
  }
  const findings: Finding[] = [{ state: 'ok', about: 'settings', message: modeOf(config) }, ...findUnknownSettings(environment)]
  const runCheck = async (about: string, examination: () => Promise<Finding[]>) => {
    try {
      findings.push(...(await examination()))
    } catch (error) {
      findings.push({ state: 'wrong', about, message: (error as Error).message.replaceAll(/\s*\n\s*/g, ' ') })
    }
  }
  const checks: [string, Examination][] = [
    ['keys', keyFindings],
    ['text messages', smsFindings],
    ['disk', diskFindings],
    ['documents', storageFindings],
    ['virus scanner', scannerFindings],
    ['provider', providerFindings],
    ['collector', collectorFindings],
  ]
  for (const [about, examination] of checks) await runCheck(about, () => examination(config))
  await runCheck('database', () => withDatabase((context: DatabaseContext) => databaseFindings(context, config)))
  await runCheck('webhooks', () => webhookFindings(config))
  return findings
}

/**
 * Finds environment variables whose names begin like settings but are none, such as misspelt ones.
 * Names for tests are left out.
 */
function findUnknownSettings(environment: NodeJS.ProcessEnv): Finding[] {
  return Object.keys(environment)
    .filter((name) => /^(KIST|RAZORPAY|MSG91)_(?!TEST_)/.test(name) && !Object.hasOwn(settings.shape, name))
    .map((name) => ({ state: 'warning', about: 'settings', message: `${name} is not a setting and has no effect: check its spelling` }))
}

const modeOf = ({ production, demo, role }: Config) => `${production ? 'production' : demo ? 'demo' : 'not production'}, role ${role}`

function reportOf(findings: readonly Finding[]): string {
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length
  return [
    ...findings.map(({ state, about, message }) => `${state.padEnd(7)} ${about}: ${message}`),
    `doctor: ${findings.length} checks, ${count('wrong')} wrong, ${count('warning')} ${count('warning') === 1 ? 'warning' : 'warnings'}`,
  ].join('\n')
}
