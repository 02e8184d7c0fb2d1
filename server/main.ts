import { systemClock } from './config/clock.ts'
import { ConfigError, readConfig } from './config/read-config.ts'
import { razorpayHost } from './config/production.ts'
import { serve } from './serve.ts'

/**
 * Runs the server with a configured PostgreSQL and provider, as in production. It never migrates:
 * `kist migrate` is a separate step with the owning login. In production that login is refused
 * here, because the environment of a serving process must not contain it.
 */
async function main(): Promise<void> {
  const config = readConfig(process.env, { isServing: true })
  const { url } = config.database
  if (url === null) throw new Error('readConfig accepts no serving process without DATABASE_URL')
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
