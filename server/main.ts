import { systemClock } from './clock.ts'
import { ConfigError, readConfig } from './config.ts'
import { migrate } from './database/migrate.ts'
import { razorpayHost } from './production.ts'
import { serve } from './serve.ts'

/** The server by itself, on a PostgreSQL and a provider of its settings: what production runs. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const { url, ownerUrl } = config.database
  if (!url || !ownerUrl) throw new ConfigError(['DATABASE_URL is missing: for the embedded PostgreSQL use npm start'])
  await migrate(ownerUrl)
  const server = await serve({
    config,
    clock: systemClock(config.clock.shift),
    databaseUrl: url,
    razorpayBaseUrl: config.razorpay.baseUrl ?? razorpayHost,
  })
  const stop = () => void server.close().then(() => process.exit(0))
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

main().catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exit(1)
})
