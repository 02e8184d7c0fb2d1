import { hkdfSync } from 'node:crypto'
import type { Secrets } from './demo-secrets.ts'
import type { Settings } from './settings.ts'

/** The size of a network whose addresses share one limit. */
export type NetworkKind = 'ipv4' | 'ipv4Slash24' | 'ipv6Slash64' | 'ipv6Slash56' | 'ipv6Slash48'

/** The share of a day's text messages that may leave in one minute: 600 of 50,000. */
const smsPerMinuteShare = 0.012

/** The settings of sign-in. */
export type SignInConfig = {
  limits: 'strict' | 'demo' | 'relaxed'
  /**
   * Ed25519 keys, PKCS 8 PEM. The first one signs; tokens of the others are accepted until they
   * expire.
   */
  tokenKeys: readonly string[]
  codeKey: string
  /** Signs device cookies and hashes stored devices. */
  deviceKey: string
  /** Hashes the networks that requested codes. */
  networkKey: string
  /** The maximum of login answers per hour without a following sign-in. */
  answersPerHour: Record<NetworkKind, number>
  /**
   * How many codes to unknown devices may stay unused a day; 1 % of the month's sign-ins if that is
   * more.
   */
  unusedCodesPerDay: number
  smsPerMinuteMax: number
  smsPerDayMax: number
}

export function buildSignInConfig(values: Settings, demo: boolean, secrets: Secrets): SignInConfig {
  return {
    limits: values.KIST_LIMITS ?? (demo ? 'demo' : 'strict'),
    tokenKeys: [secrets.tokenKeyPem, ...(values.KIST_TOKEN_KEY_PEM_PREVIOUS ? [values.KIST_TOKEN_KEY_PEM_PREVIOUS] : [])],
    codeKey: secrets.codeKey,
    deviceKey: deriveKey(secrets.codeKey, 'devices'),
    networkKey: deriveKey(secrets.codeKey, 'networks of phones'),
    answersPerHour: {
      ipv4: values.KIST_LOGIN_ANSWERS_IPV4,
      ipv4Slash24: values.KIST_LOGIN_ANSWERS_IPV4_24,
      ipv6Slash64: values.KIST_LOGIN_ANSWERS_IPV6_64,
      ipv6Slash56: values.KIST_LOGIN_ANSWERS_IPV6_56,
      ipv6Slash48: values.KIST_LOGIN_ANSWERS_IPV6_48,
    },
    unusedCodesPerDay: values.KIST_UNUSED_CODES_PER_DAY,
    smsPerMinuteMax: Math.ceil(values.KIST_SMS_PER_DAY_MAX * smsPerMinuteShare),
    smsPerDayMax: values.KIST_SMS_PER_DAY_MAX,
  }
}

/** Derives a key for one purpose from a secret. */
export const deriveKey = (secret: string, purpose: string): string =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)).toString('hex')
