import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { getFailureText } from '#web/app/loading/failure-text.ts'
import type { CodeError, PhoneError } from './login-state.ts'

/** The sentence for each error of the login. */
export function useLoginTexts(): { phone: (error: PhoneError | null) => string | null; code: (error: CodeError | null) => string | null } {
  const { t, i18n } = useLingui()
  const tooSoon = (seconds: number) =>
    t`${plural(seconds, {
      one: 'An OTP was sent a moment ago. You can ask for another in # second.',
      other: 'An OTP was sent a moment ago. You can ask for another in # seconds.',
    })}`
  return {
    phone: (error) => {
      switch (error?.type) {
        case undefined:
          return null
        case 'validation':
          return t`Enter a valid 10-digit mobile number`
        case 'does-not-exist':
          return t`No loan is registered to this number. Use the number you gave your lender.`
        case 'too-many-attempts':
          return t`Too many attempts. Wait a while, then try again.`
        case 'too-soon':
          return tooSoon(error.seconds)
        case 'not-staff':
          return t`You do not have admin privileges. Please contact support.`
        case 'server':
          return i18n._(getFailureText(error.error))
      }
    },
    code: (error) => {
      switch (error?.type) {
        case undefined:
          return null
        case 'validation':
          return t`Enter all 6 digits of the OTP`
        case 'mismatch':
          return t`This OTP does not match. Check the latest SMS and enter it again.`
        case 'too-many-attempts':
          return t`Too many wrong OTPs. Ask for a new OTP to continue.`
        case 'too-many-codes':
          return t`Too many attempts. Wait a while, then ask for a new OTP.`
        case 'not-accepted':
          return t`This OTP was not accepted. Enter the OTP from the latest SMS, or ask for a new one.`
        case 'server':
          return i18n._(getFailureText(error.error))
      }
    },
  }
}
