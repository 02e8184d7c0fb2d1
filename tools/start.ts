import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { demoClock, systemClock } from '#server/config/clock.ts'
import type { Config } from '#server/config/config.ts'
import { ConfigError, readConfig } from '#server/config/read-config.ts'
import { startEmbedded } from '#server/database/embedded.ts'
import { embeddedOptions } from '#cli/embedded-options.ts'
import { migrate } from '#server/migrate.ts'
import { serve, type Server } from '#server/serve.ts'
import { demoPeople, seedEmptyDatabase } from '#testkit/demo-town.ts'
import { claimBucketOf } from '#cli/commands/migrate.ts'
import { startSandboxProcess } from './sandbox-process.ts'
import { joinDataDirectory } from '#cli/data-directory-users.ts'
import { addMissingDemoMandate } from './missing-demo-mandate.ts'
import { buildWebWhenStale } from './web-build.ts'

/**
 * `npm start`: the whole portal in one command. The database and the sandbox are separate
 * processes: killed with this one or not, the next start finds them and continues with the same
 * data.
 */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const starting = start(config)
  let isStopping = false
  // Also before it is ready: what is being started by then is stopped too.
  const stop = async () => {
    if (isStopping) return
    isStopping = true
    console.log('Stopping …')
    await (await starting).stop()
    process.exit(0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  stopWithParent(stop)
  const { hasSandbox } = await starting
  if (!isStopping) announce(config, hasSandbox)
}

type Running = { hasSandbox: boolean; stop: () => Promise<void> }

async function start(config: Config): Promise<Running> {
  const directoryUsers = joinDataDirectory(config.dataDirectory)
  if (buildWebWhenStale()) console.log('The web app was built.')

  const postgres = config.database.url ? null : await startEmbedded(embeddedOptions(config))
  const ownerUrl = postgres?.ownerUrl ?? config.database.ownerUrl
  const databaseUrl = postgres?.appUrl ?? config.database.url
  if (!ownerUrl || !databaseUrl) throw new ConfigError(['DATABASE_URL is missing'])
  await migrate(ownerUrl)
  await claimBucketOf(config, ownerUrl, 'npm start')

  const sandbox = config.razorpay.baseUrl ? null : await startSandboxProcess(config)
  const clock =
    sandbox && config.demo
      ? demoClock(config.clock.shift, join(config.dataDirectory, 'sandbox', 'clock.json'))
      : systemClock(config.clock.shift)
  const server = await serveWhenPortIsFree(() =>
    serve({ config, clock, databaseUrl, razorpayBaseUrl: config.razorpay.baseUrl ?? sandbox?.url ?? '' }),
  )
  if (config.demo) {
    await seedEmptyDatabase(server.context.database, clock.now(), server.context.storage)
    // Also where an earlier start seeded and was killed before it came to this.
    if (sandbox) await addMissingDemoMandate(server.context, sandbox.url)
  }

  return {
    hasSandbox: sandbox !== null,
    stop: async () => {
      await server.close()
      if (!directoryUsers.leave()) return
      await sandbox?.stop()
      await postgres?.stop()
    },
  }
}

/** A portal that was just killed may still hold the port. */
async function serveWhenPortIsFree(start: () => Promise<Server>): Promise<Server> {
  const deadline = Date.now() + 10_000
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || Date.now() > deadline) throw error
      await delay(250)
    }
  }
}

/** Stops when npm was killed, because nobody could stop this process then. */
function stopWithParent(stop: () => Promise<void>): void {
  if (!process.env['npm_lifecycle_event']) return
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) void stop()
  }, 500).unref()
}

function announce(config: Config, hasSandbox: boolean): void {
  const [origin = ''] = config.origins
  if (config.demo) {
    console.log(
      `\nDemo people, by phone (sign in at ${origin}/login; each code appears here and in ${join(config.dataDirectory, 'outbox.ndjson')}):`,
    )
    for (const { phone, story } of demoPeople) console.log(`  ${phone.slice(3)}  ${story}`)
  }
  if (hasSandbox) console.log(`\nPayment sandbox: http://localhost:${config.sandboxPort}/__sandbox`)
  console.log(`API: ${origin}/api/docs\n`)
  console.log(`Kist is ready at ${origin}`)
}

main().catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exit(1)
})
