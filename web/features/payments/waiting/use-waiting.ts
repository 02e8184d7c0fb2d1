import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useReducer } from 'react'
import { readPaymentLinkStatus } from '#contract/payments.ts'
import { call } from '#web/api/call.ts'
import { getLoanTabPath } from '#web/app/paths.ts'
import { loansKey } from '#web/loan/loan-queries.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { useSession } from '#web/session/session.ts'
import { poll } from './poll.ts'
import { getFirstSecondMs, isCountingDown, waitingReducer, waitingAtFirst, type WaitingEvent, type WaitingState } from './waiting-state.ts'

/** Polls a link until it is settled, then refreshes all data and returns to the payments tab. */
export function useWaiting(paymentLinkId: string) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [state, dispatch] = useReducer(reduce, waitingAtFirst)

  // Stops under the session-expired dialog: signing in opens this page again.
  const { expired } = useSession()
  const isPolling = state.phase === 'polling' && !expired
  useEffect(() => {
    if (!isPolling) return undefined
    return poll({
      read: (signal) => call(readPaymentLinkStatus, { query: { payment_link_id: paymentLinkId } }, { signal }),
      onAnswer: (answer) => dispatch({ type: 'polled', status: answer.status, rpsUpdated: answer.rps_updated }),
      onTimeout: () => dispatch({ type: 'timedOut' }),
      times: getPortalConfig().polling,
    })
  }, [paymentLinkId, isPolling])

  // The page shows the new balance meanwhile.
  const isResolved = state.phase === 'resolved'
  useEffect(() => {
    if (isResolved) void queryClient.invalidateQueries({ queryKey: loansKey })
  }, [isResolved, queryClient])

  const isRunning = isCountingDown(state) && !expired
  useEffect(() => {
    if (!isRunning) return undefined
    const pass = (): void => dispatch({ type: 'secondPassed' })
    let timer: ReturnType<typeof setInterval> | undefined
    const first = setTimeout(() => {
      pass()
      timer = setInterval(pass, 1000)
    }, getFirstSecondMs(getPortalConfig().polling.redirect_delay_ms))
    return () => {
      clearTimeout(first)
      clearInterval(timer)
    }
  }, [isRunning])

  const goBack = useEffectEvent(() => {
    void queryClient.invalidateQueries({ queryKey: loansKey })
    void navigate({ to: getLoanTabPath('payments'), replace: true })
  })
  const hasLeft = state.phase === 'left'
  useEffect(() => {
    if (hasLeft) goBack()
  }, [hasLeft])

  return { state, dispatch }
}

function reduce(state: WaitingState, event: WaitingEvent): WaitingState {
  return waitingReducer(state, event, getPortalConfig().polling.redirect_delay_ms)
}
