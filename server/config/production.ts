import { createPrivateKey } from 'node:crypto'
import { demoLender } from './demo-lender.ts'
import type { Settings } from './settings.ts'
import { smsLanguages, type SmsTemplates } from './sms-templates.ts'

export const razorpayHost = 'https://api.razorpay.com'

/** What production does not start with: whatever belongs to the demo, is known to others or can be guessed. All of it at once. */
export function faultsOfProduction(values: Settings): string[] {
  const faults: string[] = []
  const refuse = (isWrong: unknown, fault: string) => {
    if (isWrong) faults.push(fault)
  }
  const url = values.DATABASE_URL
  const ownerUrl = values.DATABASE_OWNER_URL
  refuse(values.KIST_DEMO, 'KIST_DEMO must not be true in production')
  refuse(values.KIST_LIMITS && values.KIST_LIMITS !== 'strict', 'KIST_LIMITS must be strict in production')
  refuse(!url, 'DATABASE_URL is missing: production keeps its data in a PostgreSQL of its own')
  refuse(url && ownerUrl ? userOf(url) === userOf(ownerUrl) : false, 'DATABASE_URL and DATABASE_OWNER_URL must be different logins')
  refuse(!values.KIST_ORIGIN, 'KIST_ORIGIN is missing: the address that borrowers see')
  for (const origin of values.KIST_ORIGIN?.split(',') ?? [])
    refuse(!origin.trim().startsWith('https://'), `KIST_ORIGIN must be https in production: ${origin.trim()}`)
  refuse(
    values.KIST_TRUSTED_PROXIES === '',
    'KIST_TRUSTED_PROXIES is missing: the addresses of the proxies whose X-Forwarded-For is believed, or none where browsers connect directly',
  )
  refuse(values.RAZORPAY_BASE_URL && values.RAZORPAY_BASE_URL !== razorpayHost, `RAZORPAY_BASE_URL must be ${razorpayHost} in production`)
  refuse(values.RAZORPAY_KEY_ID?.startsWith('rzp_test_'), 'RAZORPAY_KEY_ID must not be a test key in production')
  for (const name of ['MSG91_AUTH_KEY', 'MSG91_SENDER', 'MSG91_DLT_ENTITY_ID'] as const)
    refuse(!values[name], `${name} is missing: codes go by text message, and the outbox is for the demo only`)
  refuse(values.MSG91_BASE_URL && !values.MSG91_BASE_URL.startsWith('https://'), 'MSG91_BASE_URL must be https in production')
  refuse(!values.KIST_S3_BUCKET, 'KIST_S3_BUCKET is missing: documents must outlive this machine, and every process must see the same ones')
  refuse(
    !values.KIST_CLAMD,
    'KIST_CLAMD is missing: the address of ClamAV, which scans uploads, or none to store them without a virus scan',
  )
  for (const [name, demo] of Object.entries(demoLender))
    refuse(values[name as keyof typeof demoLender] === demo, `${name} is missing: ${demo} is the demo’s`)
  for (const name of [
    'KIST_CODE_KEY',
    'RAZORPAY_KEY_SECRET',
    'RAZORPAY_WEBHOOK_SECRET',
    'RAZORPAY_WEBHOOK_SECRET_PREVIOUS',
    'MSG91_AUTH_KEY',
    'KIST_METRICS_TOKEN',
  ] as const)
    refuse(isGuessable(values[name]), `${name} can be guessed: take random characters, such as openssl rand -hex 32 gives`)
  for (const name of ['KIST_TOKEN_KEY_PEM', 'KIST_TOKEN_KEY_PEM_PREVIOUS'] as const)
    refuse(values[name] !== undefined && !isEd25519(values[name]), `${name} must be an Ed25519 key: openssl genpkey -algorithm ed25519`)
  return faults
}

/** Without its registered template the network drops the sign-in code, and nobody can sign in. */
export function missingSignInTemplates({ sign_in_code: signInCode }: SmsTemplates): string[] {
  const missing = smsLanguages.filter((language) => signInCode[language].templateId === null)
  return missing.length === 0
    ? []
    : [
        `MSG91_DLT_TEMPLATE_ID is missing: the sign-in code has no DLT template in ${missing.join(' and ')}. Name it here, or one for each language in KIST_SMS_TEMPLATES`,
      ]
}

const userOf = (url: string) => new URL(url).username

/** Words people write for want of a secret, and what has hardly any different characters. */
function isGuessable(secret: string | undefined): boolean {
  if (secret === undefined) return false
  return new Set(secret).size < 8 || /secret|password|changeme|change-me|default|example|sandbox|test|kist/i.test(secret)
}

function isEd25519(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}
