import { spawn } from 'node:child_process'
import * as path from 'node:path'
import { parseArgs } from 'node:util'

export type RealKeys = { readonly keyId: string; readonly keySecret: string }

/**
 * The keys of the provider's test mode; null when the contract runs against the sandbox.
 *
 * @throws Error when a key is missing or is a live key.
 */
export function againstReal(env: Readonly<Record<string, string | undefined>>): RealKeys | null {
  if (env['SANDBOX_CONTRACT_AGAINST'] !== 'real') return null
  const [keyId = '', keySecret = ''] = [env['RAZORPAY_KEY_ID'], env['RAZORPAY_KEY_SECRET']]
  if (keyId.startsWith('rzp_live_')) throw new Error('RAZORPAY_KEY_ID is a live key: the contract makes links, so it takes test keys only')
  if (!keyId.startsWith('rzp_test_')) throw new Error('set RAZORPAY_KEY_ID to the key of your test mode, rzp_test_…')
  if (keySecret === '') throw new Error('set RAZORPAY_KEY_SECRET to the secret of that key')
  return { keyId, keySecret }
}

/**
 * `node sandbox/contract-run.ts [--against sandbox|real]`: runs both contract.test.ts against one
 * of them.
 */
function main(): void {
  const { values } = parseArgs({ options: { against: { type: 'string', default: 'sandbox' } } })
  if (values.against !== 'sandbox' && values.against !== 'real') throw new Error('--against is sandbox or real')
  const env = { ...process.env, SANDBOX_CONTRACT_AGAINST: values.against }
  againstReal(env)
  const root = path.join(import.meta.dirname, '..')
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  const args = [
    vitest,
    'run',
    '--project',
    'unit',
    '--reporter',
    'verbose',
    'sandbox/contract.test.ts',
    'sandbox/recurring/contract.test.ts',
  ]
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' })
  child.once('exit', (code) => process.exit(code ?? 1))
}

if (import.meta.main) {
  try {
    main()
  } catch (error) {
    console.error(`contract: ${error instanceof Error ? error.message : String(error)}`)
    process.exit(1)
  }
}
