import { createPrivateKey } from 'node:crypto'
import type { Brand } from './brand.ts'
import { findDemoWords } from './lender.ts'
import type { Settings } from './settings.ts'
import { smsLanguages, type SmsTemplates } from './sms-templates.ts'

export const razorpayHost = 'https://api.razorpay.com'

/**
 * Finds the settings with which production must not start: demo values, known or guessable secrets.
 * Reports all at once.
 */
export function findProductionFaults(values: Settings, brand: Brand): string[] {
  const faults: string[] = []
  const refuse = (isWrong: unknown, fault: string) => {
    if (isWrong) faults.push(fault)
  }
  const url = values.DATABASE_URL
  const ownerUrl = values.DATABASE_OWNER_URL
  refuse(values.KIST_DEMO, 'KIST_DEMO must not be true in production')
  refuse(values.KIST_LIMITS && values.KIST_LIMITS !== 'strict', 'KIST_LIMITS must be strict in production')
  refuse(!url, 'DATABASE_URL is missing: production requires its own PostgreSQL')
  refuse(
    url && ownerUrl ? readUserName(url) === readUserName(ownerUrl) : false,
    'DATABASE_URL and DATABASE_OWNER_URL must be different logins',
  )
  refuse(!values.KIST_ORIGIN, 'KIST_ORIGIN is missing: the address that borrowers see')
  for (const origin of values.KIST_ORIGIN?.split(',') ?? [])
    refuse(!origin.trim().startsWith('https://'), `KIST_ORIGIN must be https in production: ${origin.trim()}`)
  refuse(
    values.KIST_TRUSTED_PROXIES === '',
    'KIST_TRUSTED_PROXIES is missing: the addresses of the proxies whose X-Forwarded-For is trusted, or none if browsers connect directly',
  )
  refuse(values.RAZORPAY_BASE_URL && values.RAZORPAY_BASE_URL !== razorpayHost, `RAZORPAY_BASE_URL must be ${razorpayHost} in production`)
  refuse(values.RAZORPAY_KEY_ID?.startsWith('rzp_test_'), 'RAZORPAY_KEY_ID must not be a test key in production')
  refuse(!values.MSG91_AUTH_KEY, 'MSG91_AUTH_KEY is missing: codes are sent by text message, and the outbox is for the demo only')
  refuse(!values.KIST_S3_BUCKET, 'KIST_S3_BUCKET is missing: documents must be stored outside this machine and shared by all processes')
  refuse(
    values.KIST_S3_ENDPOINT && !isEncryptedOrLocal(values.KIST_S3_ENDPOINT),
    'KIST_S3_ENDPOINT must be https in production: documents pass through it',
  )
  refuse(
    !values.KIST_CLAMD,
    'KIST_CLAMD is missing: the address of ClamAV, which scans uploads, or none to store them without a virus scan',
  )
  if (!values.KIST_BRAND_DIR) faults.push('KIST_BRAND_DIR is missing: the folder with the lender’s name, address and contacts')
  // An invalid folder has its own faults, and its words are not known.
  else if (brand.faults.length === 0)
    for (const word of findDemoWords(brand.lender)) faults.push(`KIST_BRAND_DIR: brand.json has no ${word} of the lender`)
  for (const name of [
    'KIST_CODE_KEY',
    'RAZORPAY_KEY_SECRET',
    'RAZORPAY_WEBHOOK_SECRET',
    'RAZORPAY_WEBHOOK_SECRET_PREVIOUS',
    'MSG91_AUTH_KEY',
    'KIST_METRICS_TOKEN',
  ] as const)
    refuse(isGuessable(values[name]), `${name} can be guessed: use random characters, for example from openssl rand -hex 32`)
  for (const name of ['KIST_TOKEN_KEY_PEM', 'KIST_TOKEN_KEY_PEM_PREVIOUS'] as const)
    refuse(values[name] !== undefined && !isEd25519(values[name]), `${name} must be an Ed25519 key: openssl genpkey -algorithm ed25519`)
  return faults
}

/** Finds the logins of the database with which a process must not serve. */
export function findServingFaults({ NODE_ENV: mode, DATABASE_URL: url, DATABASE_OWNER_URL: ownerUrl }: Settings): string[] {
  if (mode === 'production')
    return ownerUrl === undefined
      ? []
      : ['DATABASE_OWNER_URL must not be set for a serving process: set it only for the operator’s tool (kist migrate)']
  return url === undefined ? ['DATABASE_URL is missing: use npm start for the embedded PostgreSQL'] : []
}

/**
 * Finds missing templates of the sign-in code. Without a registered template the network drops the
 * code, and nobody can sign in.
 */
export function findMissingSignInTemplates({ sign_in_code: signInCode }: SmsTemplates): string[] {
  const missing = smsLanguages.filter((language) => signInCode[language].templateId === null)
  return missing.length === 0
    ? []
    : [
        `MSG91_DLT_TEMPLATE_ID is missing: the sign-in code has no DLT template in ${missing.join(' and ')}. Name it here, or one for each language in KIST_SMS_TEMPLATES`,
      ]
}

/** Whether nobody between can read: TLS, or a service on this machine. */
const isEncryptedOrLocal = (url: string) => url.startsWith('https://') || /^(127\.|localhost$|\[::1\]$)/.test(new URL(url).hostname)

const readUserName = (url: string) => new URL(url).username

/** Whether a secret is a placeholder word or has few different characters. */
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
