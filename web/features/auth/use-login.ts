import { useEffect, useEffectEvent, useLayoutEffect, useReducer } from 'react'
import type { CodeStatus, User } from '#contract/auth.ts'
import { ApiError, asApiError, createConnectionError } from '#web/api/api-error.ts'
import { forgetSentCode } from '#web/storage.ts'
import { loadAhead } from '#web/ui/background-loads.ts'
import { toCodeError, toPhoneError } from './login-errors.ts'
import { isCodeComplete, isPhoneValid, noSession, startAfter, type LoginEvent, type LoginState } from './login-state.ts'
import { endOfSentCodeMs, readSentCode, rememberSentCode } from './sent-code.ts'

export type Login = {
  state: LoginState
  editPhone: (phone: string) => void
  submitPhone: () => void
  editCode: (code: string) => void
  submitCode: () => void
  resend: () => void
  changeNumber: () => void
}

type LoginFlow = {
  reducer: (state: LoginState, event: LoginEvent) => LoginState
  /**
   * Stores the session of the right code and resolves to true; ends it and resolves to false if the
   * person may not use this login.
   */
  admit: (token: string, user: User) => Promise<boolean>
  onSuccess: () => void
  /** Whether the page goes on with the code that was awaited when it was closed. */
  keepsSentCode?: boolean
  /** The phone that was submitted before this code was loaded, as far as it was typed. */
  submittedPhone?: string | null
}

// Loaded after the form is interactive: no call is made before a number is typed.
const loadCalls = () => import('./login-calls.ts')

type Dispatch = (event: LoginEvent) => void

function useSecondsUntilResend(state: LoginState, dispatch: Dispatch): void {
  const isCountingDown = state.resendSeconds > 0
  useEffect(() => {
    if (!isCountingDown) return
    const timer = setInterval(() => dispatch({ type: 'ticked', nowMs: Date.now() }), 1000)
    return () => clearInterval(timer)
  }, [isCountingDown, dispatch])
}

/** Follows whether the SMS of the last code was sent, until that is known. */
function useCodeStatus(state: LoginState, dispatch: Dispatch): void {
  const { sent, delivery } = state
  const watched = state.step === 'enter-otp' && !state.resending && delivery === null && sent?.sessionToken !== noSession ? sent : null
  useEffect(() => {
    if (watched === null) return
    const { sessionToken, atMs } = watched
    const ended = new AbortController()
    const onStatus = (status: CodeStatus, isLastCheck: boolean) => dispatch({ type: 'code_status_read', sessionToken, status, isLastCheck })
    // If this module does not load, the status of the SMS stays unknown and is not shown.
    void loadAhead(async () => {
      const { watchCodeStatus } = await loadCalls()
      void watchCodeStatus({ sessionToken, atMs, onStatus, signal: ended.signal })
    })
    return () => ended.abort()
  }, [watched, dispatch])
}

/** Keeps the last code until it is used or the number is changed, and goes on with a kept one. */
function useKeptCode({ step, sent, resending, isAnswerLost }: LoginState, dispatch: Dispatch, isKept: boolean): void {
  // Before the first step is shown; the server draws that step, so it cannot be the initial state.
  useLayoutEffect(() => {
    const kept = isKept ? readSentCode(Date.now()) : null
    if (kept === null) return
    const { isAnswerUnknown, ...known } = kept
    dispatch({ type: 'code_awaited', sent: known, isAnswerLost: isAnswerUnknown, nowMs: Date.now() })
  }, [isKept, dispatch])
  const awaited = step === 'enter-otp' || step === 'submitting-otp' ? sent : null
  const isAnswerUnknown = isAnswerLost || resending || step === 'submitting-otp'
  useEffect(() => {
    if (!isKept) return
    if (awaited === null) return forgetSentCode()
    rememberSentCode({ ...awaited, isAnswerUnknown })
    const end = setTimeout(forgetSentCode, endOfSentCodeMs(awaited) - Date.now())
    return () => clearTimeout(end)
  }, [isKept, awaited, isAnswerUnknown])
}

/** The login's state with its calls. */
export function useLogin({ reducer, admit, onSuccess, keepsSentCode = false, submittedPhone = null }: LoginFlow): Login {
  const [state, dispatch] = useReducer(reducer, submittedPhone, startAfter)

  useEffect(() => {
    // If loading fails here, the first call reports it.
    void loadAhead(loadCalls)
  }, [])

  useSecondsUntilResend(state, dispatch)
  useCodeStatus(state, dispatch)
  useKeptCode(state, dispatch, keepsSentCode)

  async function sendCode() {
    try {
      const { requestCode } = await loadCalls().catch(throwConnectionError)
      const answer = await requestCode(state.phone)
      dispatch({
        type: 'code_sent',
        sessionToken: answer.session_token,
        resendAfterSeconds: answer.resend_after_seconds,
        nowMs: Date.now(),
      })
    } catch (cause) {
      const error = asApiError(cause)
      if (error.code === 'AuthResendTooSoon') {
        dispatch({ type: 'send_too_soon', seconds: error.retryAfterSeconds ?? 1, nowMs: Date.now() })
        return
      }
      // The step in which the code was requested.
      if (state.step === 'enter-otp') dispatch({ type: 'resend_refused', error: toCodeError(error), nowMs: Date.now() })
      else dispatch({ type: 'phone_refused', error: toPhoneError(error), nowMs: Date.now() })
    }
  }

  const sendToSubmittedPhone = useEffectEvent(() => {
    if (state.step === 'submitting-phone') void sendCode()
  })
  useEffect(() => sendToSubmittedPhone(), [])

  async function verify(sessionToken: string) {
    try {
      const { verifyCode } = await loadCalls().catch(throwConnectionError)
      const answer = await verifyCode(sessionToken, state.code)
      if (answer.token !== undefined && answer.user !== undefined) {
        if (await admit(answer.token, answer.user)) {
          dispatch({ type: 'verified' })
          onSuccess()
        } else {
          dispatch({ type: 'not_staff' })
        }
      } else if (answer.session_token !== undefined) {
        dispatch({
          type: 'code_expired',
          sessionToken: answer.session_token,
          resendAfterSeconds: answer.resend_after_seconds ?? 0,
          nowMs: Date.now(),
        })
      } else {
        throw new ApiError({ kind: 'server_error', status: 200 })
      }
    } catch (cause) {
      dispatch({ type: 'code_refused', error: toCodeError(asApiError(cause)) })
    }
  }

  return {
    state,
    editPhone: (phone) => dispatch({ type: 'phone_edited', phone }),
    submitPhone: () => {
      dispatch({ type: 'phone_submitted' })
      if (state.step === 'enter-phone' && isPhoneValid(state.phone)) void sendCode()
    },
    editCode: (code) => dispatch({ type: 'code_edited', code }),
    submitCode: () => {
      dispatch({ type: 'code_submitted' })
      if (state.step === 'enter-otp' && !state.resending && state.blockedBy === null && isCodeComplete(state.code) && state.sent)
        void verify(state.sent.sessionToken)
    },
    resend: () => {
      dispatch({ type: 'resend_pressed' })
      if (state.step === 'enter-otp' && !state.resending && state.resendSeconds === 0) void sendCode()
    },
    changeNumber: () => dispatch({ type: 'number_changed' }),
  }
}

/** Reports code that did not load like a response that did not arrive. */
function throwConnectionError(cause: unknown): never {
  throw createConnectionError(cause)
}
