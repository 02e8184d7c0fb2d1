import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { demoClock } from '#server/config/clock.ts'
import { readConfig } from '#server/config/read-config.ts'
import { serve } from '#server/serve.ts'

/** The server of a torture portal; database and provider are other processes. */
const config = readConfig(process.env)
const { url } = config.database
if (!url || !config.razorpay.baseUrl) throw new Error('DATABASE_URL and RAZORPAY_BASE_URL are needed')
const server = await serve({
  config,
  clock: demoClock(config.clock.shift, join(config.dataDirectory, 'sandbox', 'clock.json')),
  databaseUrl: url,
  razorpayBaseUrl: config.razorpay.baseUrl,
  printSms: () => {},
})
// It is usually killed, and a process writes what it compiled only when it ends by itself.
flushCompileCache()
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)))
