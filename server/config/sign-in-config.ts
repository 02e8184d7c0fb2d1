import { hkdfSync } from 'node:crypto'
import type { Secrets } from './demo-secrets.ts'
import type { Settings } from './settings.ts'

/** The size of a network whose addresses one limit counts together. */
export type NetworkKind = 'ipv4' | 'ipv4Slash24' | 'ipv6Slash64' | 'ipv6Slash56' | 'ipv6Slash48'

/** The settings of sign-in. */
export type SignInConfig = {
  limits: 'strict' | 'demo' | 'relaxed'
  /** Ed25519, PKCS 8 PEM. The first signs; the others are still accepted while what they signed lives. */
  tokenKeys: readonly string[]
  codeKey: string
  /** Device cookies are signed under it, and devices stored. */
  deviceKey: string
  /** Networks from which codes were asked for are stored under it. */
  networkKey: string
  /** So many answers of the login an hour, of those that no sign-in followed. */
  answersPerHour: Record<NetworkKind, number>
  /** So many codes to unknown devices may stay unused a day, or 1 % of the month's sign-ins where that is more. */
  unusedCodesPerDay: number
  smsPerMinuteMax: number
  smsPerDayMax: number
}

export function signInOf(values: Settings, demo: boolean, secrets: Secrets): SignInConfig {
  return {
    limits: values.KIST_LIMITS ?? (demo ? 'demo' : 'strict'),
    tokenKeys: [secrets.tokenKeyPem, ...(values.KIST_TOKEN_KEY_PEM_PREVIOUS ? [values.KIST_TOKEN_KEY_PEM_PREVIOUS] : [])],
    codeKey: secrets.codeKey,
    deviceKey: derivedKey(secrets.codeKey, 'devices'),
    networkKey: derivedKey(secrets.codeKey, 'networks of phones'),
    answersPerHour: {
      ipv4: values.KIST_LOGIN_ANSWERS_IPV4,
      ipv4Slash24: values.KIST_LOGIN_ANSWERS_IPV4_24,
      ipv6Slash64: values.KIST_LOGIN_ANSWERS_IPV6_64,
      ipv6Slash56: values.KIST_LOGIN_ANSWERS_IPV6_56,
      ipv6Slash48: values.KIST_LOGIN_ANSWERS_IPV6_48,
    },
    unusedCodesPerDay: values.KIST_UNUSED_CODES_PER_DAY,
    smsPerMinuteMax: values.KIST_SMS_PER_MINUTE_MAX,
    smsPerDayMax: values.KIST_SMS_PER_DAY_MAX,
  }
}

/** A key for one purpose, derived from a secret. */
export const derivedKey = (secret: string, purpose: string): string =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)).toString('hex')
