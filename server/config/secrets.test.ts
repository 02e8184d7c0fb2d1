import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** Patterns of keys and tokens. */
const secrets: Record<string, RegExp> = {
  'a live key of Razorpay': /rzp_live_(?!abcdefghijkl12)[A-Za-z0-9]{14}\b/,
  'a private key': /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?:\\n|\s)*[A-Za-z0-9+/=\\n\s]{60,}/,
  'a key of AWS': /\bAKIA[0-9A-Z]{16}\b/,
  'a token of GitHub': /\bgh[pousr]_[A-Za-z0-9]{36}\b/,
  'a token of a package registry': /\bnpm_[A-Za-z0-9]{36}\b/,
  'a signed token': /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}/,
  'a secret setting with its value':
    /\b(?:KIST_CODE_KEY|KIST_METRICS_TOKEN|RAZORPAY_KEY_SECRET|RAZORPAY_WEBHOOK_SECRET|MSG91_AUTH_KEY|KIST_S3_SECRET_ACCESS_KEY|[A-Z]+_PASSWORD)=["']?[A-Za-z0-9+/]{20,}/,
  'a database password': /postgres(?:ql)?:\/\/[^:\s]+:(?!secret|hidden|password|\$)[^@\s'"`]{8,}@(?!db\b)/,
}

const findIn = (text: string) => Object.entries(secrets).flatMap(([what, pattern]) => (pattern.test(text) ? [what] : []))

/** Binary files, and files generated from the lockfile. */
const isNoText = (file: string) => /\.(png|jpg|pdf|woff2?|ico)$|(^|\/)(package-lock|sbom\.cdx)\.json$/.test(file)

it('H18: no file of the repository holds a secret', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !isNoText(file) && existsSync(join(root, file)))
  expect(files.length).toBeGreaterThan(1_000)
  expect(files.flatMap((file) => findIn(readFileSync(join(root, file), 'utf8')).map((what) => `${file}: ${what}`))).toEqual([])
})

it('H18: the search finds each kind of secret', () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const planted: [string, string][] = [
    [`key: 'rzp_live_${randomBytes(7).toString('hex')}'`, 'a live key of Razorpay'],
    [generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 'a private key'],
    [`AKIA${'Q'.repeat(16)}`, 'a key of AWS'],
    [`ghp_${'a1'.repeat(18)}`, 'a token of GitHub'],
    [`npm_${'b2'.repeat(18)}`, 'a token of a package registry'],
    [`${part({ alg: 'EdDSA', typ: 'JWT' })}.${part({ sub: 'x'.repeat(20) })}.${'s'.repeat(40)}`, 'a signed token'],
    [`KIST_CODE_KEY=${randomBytes(32).toString('hex')}`, 'a secret setting with its value'],
    [`postgres://kist_app:${randomBytes(8).toString('hex')}@host/kist`, 'a database password'],
  ]
  for (const [text, what] of planted) expect(findIn(text)).toEqual([what])
})
