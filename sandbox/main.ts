#!/usr/bin/env node
import { ConfigError, readConfig } from './config.ts'
import { startSandbox } from './sandbox.ts'

/** Runs the sandbox until SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const sandbox = await startSandbox(config)
  console.log(`Payment sandbox at http://localhost:${sandbox.port} (control page: /__sandbox)`)
  const stop = (): void => {
    sandbox.close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return 'the port is in use: set SANDBOX_PORT, or stop the other process'
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

main().catch((error: unknown) => {
  console.error(`sandbox: ${explain(error)}`)
  process.exit(1)
})
