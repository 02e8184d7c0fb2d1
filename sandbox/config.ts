import * as path from 'node:path'

/** The settings of the sandbox. Only this file reads the environment. */

/** All settings. Names of durations end with their unit; amounts are paise. */
export type SandboxConfig = {
  /** TCP port; 0 lets the system choose (tests). */
  readonly port: number
  /** Folder that holds the journal and clock.json; made when absent. */
  readonly dataDir: string
  readonly keyId: string
  readonly keySecret: string
  readonly webhookSecret: string
  readonly webhookUrl: string
  /** Origin that short_url starts with; null means http://localhost:<port>. */
  readonly publicUrl: string | null
  readonly merchantName: string
  readonly accountId: string
  readonly amountMaxPaise: number
  /** Test mode refuses UPI links; true allows them, as live mode does. */
  readonly allowUpiLinks: boolean
  /** The merchant's balance besides its payments, which refunds may use. */
  readonly balancePaise: number
  /** Sandbox seconds a refund stays pending; 0 processes it in the answer. */
  readonly refundSeconds: number
  /** A link expires up to this late, each by its own lag. */
  readonly expiryLagSeconds: number
  /** Seed of all ids and jitter; null gives other values in every process. */
  readonly seed: string | null
  /** Multiplies every wait between two webhook attempts; 0 retries at once. */
  readonly retryScale: number
  readonly webhookTimeoutMs: number
  /** How many events are sent at once. */
  readonly webhookConnections: number
  /** Seconds the success page waits before it goes back to the merchant. */
  readonly redirectSeconds: number
  /** A JSON file of bank holidays in India. */
  readonly holidaysFile: string
  /** Sandbox seconds until a pre-debit notification is delivered. */
  readonly notificationSeconds: number
  /** Sandbox seconds from a UPI debit to the bank's answer. */
  readonly debitSeconds: number
  /** The largest `max_amount` of a UPI mandate; higher for some kinds of merchants. */
  readonly upiMandateMaxPaise: number
  /** True lists UPI tokens of a customer, as an account with `save_vpa` does. */
  readonly listUpiTokens: boolean
  /** True refuses `token_id` in an order, as some accounts do. */
  readonly refuseOrderTokenId: boolean
  /** Added to the system clock before the sandbox's own offset; not written to clock.json. */
  readonly clockBaseMs: number
}

/** Thrown with every wrong setting at once, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

type Env = Readonly<Record<string, string | undefined>>

/** Reads the settings; throws one {@link ConfigError} that lists all faults. */
export function readConfig(env: Env): SandboxConfig {
  const faults: string[] = []
  const text = (name: string, fallback: string): string => env[name]?.trim() || fallback
  const number = (name: string, fallback: number, min: number, max: number): number => {
    const raw = env[name]?.trim()
    if (!raw) return fallback
    const value = Number(raw)
    if (Number.isFinite(value) && value >= min && value <= max) return value
    faults.push(`${name} must be a number from ${min} to ${max}, not "${raw}"`)
    return fallback
  }
  const url = (name: string, fallback: string): string => {
    const raw = text(name, fallback)
    if (/^https?:\/\/[^/]/.test(raw) && URL.canParse(raw)) return raw
    faults.push(`${name} must be an http(s) URL, not "${raw}"`)
    return fallback
  }

  const keyId = text('RAZORPAY_KEY_ID', 'rzp_test_kist00000000')
  if (keyId.startsWith('rzp_live_')) {
    faults.push('RAZORPAY_KEY_ID is a live key: the sandbox takes test keys (rzp_test_…) only')
  } else if (!/^rzp_test_[A-Za-z0-9]+$/.test(keyId)) {
    faults.push('RAZORPAY_KEY_ID must look like rzp_test_…')
  }

  const config: SandboxConfig = {
    port: number('SANDBOX_PORT', 4010, 0, 65535),
    dataDir: text('SANDBOX_DATA_DIR', './var/sandbox'),
    keyId,
    keySecret: text('RAZORPAY_KEY_SECRET', 'sandbox-key-secret'),
    webhookSecret: text('RAZORPAY_WEBHOOK_SECRET', 'sandbox-webhook-secret'),
    webhookUrl: url('SANDBOX_WEBHOOK_URL', 'http://127.0.0.1:3000/api/v1/webhooks/razorpay'),
    publicUrl: env['SANDBOX_PUBLIC_URL']?.trim() ? url('SANDBOX_PUBLIC_URL', '').replace(/\/+$/, '') : null,
    merchantName: text('SANDBOX_MERCHANT_NAME', 'Kist Demo Finance'),
    accountId: text('SANDBOX_ACCOUNT_ID', 'acc_KistSandbox001'),
    amountMaxPaise: number('SANDBOX_AMOUNT_MAX_PAISE', 5_00_000_00, 100, Number.MAX_SAFE_INTEGER),
    allowUpiLinks: env['SANDBOX_ALLOW_UPI_LINKS']?.trim() === 'true',
    balancePaise: number('SANDBOX_BALANCE_PAISE', 1_00_00_000_00, 0, Number.MAX_SAFE_INTEGER),
    refundSeconds: number('SANDBOX_REFUND_SECONDS', 10, 0, 1e9),
    expiryLagSeconds: number('SANDBOX_EXPIRY_LAG_SECONDS', 0, 0, 3600),
    seed: env['SANDBOX_SEED']?.trim() || null,
    retryScale: number('SANDBOX_RETRY_SCALE', 1, 0, 1000),
    webhookTimeoutMs: number('SANDBOX_WEBHOOK_TIMEOUT_MS', 5000, 50, 60_000),
    webhookConnections: number('SANDBOX_WEBHOOK_CONNECTIONS', 64, 1, 1000),
    redirectSeconds: number('SANDBOX_REDIRECT_SECONDS', 3, 0, 60),
    holidaysFile: text('SANDBOX_HOLIDAYS_FILE', path.join(import.meta.dirname, 'recurring/bank-holidays.json')),
    notificationSeconds: number('SANDBOX_NOTIFICATION_SECONDS', 5, 0, 1e6),
    debitSeconds: number('SANDBOX_DEBIT_SECONDS', 10, 0, 1e6),
    upiMandateMaxPaise: number('SANDBOX_UPI_MANDATE_MAX_PAISE', 99_999_00, 100, 2_00_000_00),
    listUpiTokens: env['SANDBOX_LIST_UPI_TOKENS']?.trim() === 'true',
    refuseOrderTokenId: env['SANDBOX_REFUSE_ORDER_TOKEN_ID']?.trim() === 'true',
    clockBaseMs: number('SANDBOX_CLOCK_BASE_MS', 0, -1e13, 1e13),
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return config
}
