import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import {
  cancelMandate,
  type Collection,
  createMandate,
  type Mandate,
  pauseMandate,
  readCollections,
  readMandate,
  resumeMandate,
  retryCollection,
  sendMandateCancelCode,
  skipCollection,
} from '#contract/autopay.ts'
import type { RequestOf, ResponseOf } from '#contract/endpoint.ts'
import type { Loan } from '#contract/loans.ts'
import type { Day } from '#domain/calendar.ts'
import { minuteMs } from '#domain/durations.ts'
import { call } from '#web/api/call.ts'
import { useRequestKeys } from '#web/api/request-keys.ts'
import type { Autopay } from '#web/loan/autopay.ts'
import { loansKey, refreshLoans } from '#web/loan/loan-queries.ts'

/** All debits of a loan. */
export const collectionsQuery = (loan: Loan) =>
  queryOptions({
    queryKey: [...loansKey, loan.lan, 'collections'],
    queryFn: async ({ signal }) => (await call(readCollections, { query: { application_id: loan.lan } }, { signal })).collections,
  })

/** After a change of autopay all that is shown of loans is old, the summary too. */
function useRefreshLoans(): () => void {
  const client = useQueryClient()
  return () => void refreshLoans(client)
}

/** After a change of a mandate: the answer is shown at once, and the loans are read again. */
function useShowMandate() {
  const client = useQueryClient()
  return {
    onSuccess: ({ mandate }: { mandate: Mandate }) => {
      const queryKey = [...loansKey, mandate.lan, 'autopay']
      client.setQueriesData<Autopay>({ queryKey }, (known) => known && { ...known, mandate })
    },
    onSettled: () => void refreshLoans(client),
  }
}

/** After a change of a debit: the answer does not say which debit is the next. */
function useShowDebits() {
  const client = useQueryClient()
  return {
    onSuccess: ({ collection: { lan } }: { collection: Collection }) =>
      refreshLoans(client, [...loansKey, lan, 'autopay'], [...loansKey, lan, 'collections']),
    onError: () => void refreshLoans(client),
  }
}

export type MandateRequest = Omit<RequestOf<typeof createMandate>['body'], 'application_id'>

/**
 * Sets up a mandate. The same request sent again after a lost response reuses the key. Nothing of
 * the request is kept after the form is closed: it contains an account number.
 */
export function useSetUpMandate(loan: Loan) {
  const keys = useRequestKeys()
  return useMutation({
    ...useShowMandate(),
    gcTime: 0,
    mutationFn: (request: MandateRequest) => {
      const text = JSON.stringify({ ...request, max_amount: String(request.max_amount) })
      const body = { ...request, application_id: loan.lan }
      return call(createMandate, { body }, { idempotencyKey: keys.keyOf(text) })
    },
    onError: keys.settle,
  })
}

/** How long the waiting state asks by itself, and how often. */
const waitMs = 10 * minuteMs
const askEveryMs = 3_000

/**
 * Follows a mandate that the borrower or the bank has to approve. Asks for ten minutes from the
 * opening of the page, also while another tab is in front: the approval is there.
 */
export function useAwaitedMandate(loan: Loan, known: Mandate) {
  const client = useQueryClient()
  const [askedUntilMs, setAskedUntilMs] = useState(() => Date.now() + waitMs)
  const [isAsking, setIsAsking] = useState(true)
  useEffect(() => {
    const timer = setTimeout(() => setIsAsking(false), askedUntilMs - Date.now())
    return () => clearTimeout(timer)
  }, [askedUntilMs])
  const { data } = useQuery({
    queryKey: [...loansKey, loan.lan, 'mandate', known.id],
    queryFn: async ({ signal }) => (await call(readMandate, { params: { id: known.id } }, { signal })).mandate,
    refetchInterval: isAsking ? askEveryMs : false,
    refetchIntervalInBackground: true,
  })
  const status = data?.status ?? known.status
  const isOutdated = status !== known.status
  useEffect(() => {
    if (!isOutdated) return undefined
    void refreshLoans(client)
    // That can fail. A read that is under way goes on, or a slow network would never finish one.
    const read = (): void => void client.invalidateQueries({ queryKey: loansKey }, { cancelRefetch: false })
    const timer = isAsking ? setInterval(read, askEveryMs) : undefined
    return () => clearInterval(timer)
  }, [client, isOutdated, isAsking])
  const askAgain = (): void => {
    setAskedUntilMs(Date.now() + waitMs)
    setIsAsking(true)
  }
  return { isAsking, askAgain }
}

/** Pauses or resumes. */
export function useChangeMandate({ id }: Mandate) {
  return useMutation({
    ...useShowMandate(),
    mutationFn: (change: 'pause' | 'resume') => call(change === 'pause' ? pauseMandate : resumeMandate, { params: { id } }),
  })
}

/** A code that was sent, and when. */
type SentCode = ResponseOf<typeof sendMandateCancelCode> & { atMs: number }

/** A code is valid for five minutes; near their end it is not worth typing. */
const codeValidMs = 4 * minuteMs

/**
 * Sends the code that cancelling needs. `sent` is the last one: it outlives the dialog while it is
 * valid, because the server sends no other for a while. `forget` it when it is used up. After a
 * failure the mandate may have changed.
 */
export function useCancelCode(mandate: Mandate) {
  const client = useQueryClient()
  const refresh = useRefreshLoans()
  const queryKey = [...loansKey, mandate.lan, 'cancel-code', mandate.id]
  const { data: stored = null } = useQuery<SentCode | null>({ queryKey, queryFn: () => null, enabled: false })
  const [openedMs] = useState(() => Date.now())
  const sent = stored !== null && openedMs - stored.atMs < codeValidMs ? stored : null
  const send = useMutation({
    mutationFn: async () => ({ ...(await call(sendMandateCancelCode, { params: { id: mandate.id } })), atMs: Date.now() }),
    onSuccess: (code: SentCode) => client.setQueryData(queryKey, code),
    onError: refresh,
  })
  return { sent, send, forget: () => client.setQueryData<SentCode | null>(queryKey, null) }
}

export function useCancelMandate({ id }: Mandate) {
  return useMutation({
    ...useShowMandate(),
    mutationFn: (body: RequestOf<typeof cancelMandate>['body']) => call(cancelMandate, { params: { id }, body }),
  })
}

export function useSkipDebit() {
  return useMutation({
    ...useShowDebits(),
    mutationFn: ({ id }: Collection) => call(skipCollection, { params: { id } }),
  })
}

export function useRetryDebit({ id }: Collection) {
  return useMutation({
    ...useShowDebits(),
    mutationFn: (date: Day) => call(retryCollection, { params: { id }, body: { date } }),
  })
}
