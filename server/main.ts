import { systemClock } from './config/clock.ts'
import { ConfigError, readConfig } from './config/read-config.ts'
import { razorpayHost } from './config/production.ts'
import { serve } from './serve.ts'

/**
 * The server by itself, on a PostgreSQL and a provider of its settings: what production runs. It never migrates: `kist migrate` does, as a
 * step of its own with the login that owns the tables. Whoever reads the environment of a serving process in production must not find that
 * login there, so it is refused and not merely ignored.
 */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const { url, ownerUrl } = config.database
  if (!url) throw new ConfigError(['DATABASE_URL is missing: for the embedded PostgreSQL use npm start'])
  if (config.production && ownerUrl !== null)
    throw new ConfigError(['DATABASE_OWNER_URL must not be set where Kist serves: give it to the operator’s tool alone (kist migrate)'])
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
