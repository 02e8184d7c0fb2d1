import { useEffect, useRef } from 'react'

type SmsCredential = Credential & { code?: string }

/** Takes the code from the SMS where the phone offers it (WebOTP, Chrome on Android); everywhere else it does nothing. */
export function useSmsCode(onCode: (code: string) => void): void {
  const latest = useRef(onCode)
  useEffect(() => {
    latest.current = onCode
  })
  useEffect(() => {
    if (!('OTPCredential' in window)) return
    const ended = new AbortController()
    const request = { otp: { transport: ['sms'] }, signal: ended.signal } as CredentialRequestOptions
    navigator.credentials.get(request).then(
      (credential) => {
        const code = (credential as SmsCredential | null)?.code
        if (code !== undefined) latest.current(code)
      },
      () => {
        // Declined or not offered: the person types the code.
      },
    )
    return () => ended.abort()
  }, [])
}
