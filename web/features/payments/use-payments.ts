import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Loan } from '#contract/loans.ts'
import { cancelPaymentLink, createPaymentLink, type OngoingPayment, type PaymentLink } from '#contract/payments.ts'
import { call } from '#web/api/call.ts'
import { useRequestKeys } from '#web/api/request-keys.ts'
import { useLoad } from '#web/app/loading/use-load.ts'
import { getPaymentCallbackUrl } from '#web/app/paths.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import type { Language } from '#web/i18n/language.ts'
import { getLeadId, loansKey, scheduleQuery } from '#web/loan/loan-queries.ts'
import { getSafeRedirectUrl } from '#web/loan/safe-redirect-url.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { forgetStartedPayment, rememberStartedPayment } from '#web/session/started-payment.ts'
import { loadCountdown, useCountdown } from './pay/countdown.tsx'
import { ongoingQuery } from './payment-queries.ts'
import {
  canCreatePayment,
  isBeingApplied,
  mustRefreshAfterCancel,
  NoRedirectUrlError,
  type Payment,
  getPaymentsStatus,
} from './payments-controller.ts'

/**
 * The payments of a loan: what can be paid, the open link, and the actions. Also for the loan page,
 * which pays what is due (`PayNow`).
 */
export function usePayments(loan: Loan) {
  const queryClient = useQueryClient()
  const refreshAll = () => queryClient.invalidateQueries({ queryKey: loansKey })

  const schedule = useLoad(scheduleQuery(loan))
  const ongoing = useLoad(ongoingQuery(loan))

  // From the press until the borrower is back on the tab. The mutation's own state changes a render
  // later, which would allow a second press.
  const isInProgress = useRef(false)
  const { running, dispatch } = useRedirect(loan, () => {
    isInProgress.current = false
    void refreshAll()
  })

  const status = getPaymentsStatus(ongoing, running)
  const create = useCreateLink(loan, {
    openLink: ongoing.data,
    onCreated: (created) => dispatch({ type: 'linkCreated', ...created, seconds: getPortalConfig().countdown.seconds }),
    onFailed: () => {
      isInProgress.current = false
    },
  })

  useRefreshWhenLinkIsGone(ongoing.data, () => {
    // 'A payment is pending' is true no more.
    if (create.isError) create.reset()
    void refreshAll()
  })

  // The link of the last payment is gone: the next one does not wait until a read says so.
  const cancel = useCancelLink(loan, { openLink: ongoing.data, onCancelled: () => create.reset() })

  const canCreate = canCreatePayment(status, schedule.data !== undefined) && !(create.isSuccess && ongoing.isFetching)

  return {
    status,
    running,
    schedule,
    ongoing,
    create,
    cancel,
    /** False after creating a link until the page has loaded it. */
    canCreate,
    pay: (payment: Payment, onCreated?: () => void) => {
      if (!canCreate || isInProgress.current) return
      isInProgress.current = true
      cancel.reset()
      create.mutate(payment, onCreated && { onSuccess: onCreated })
    },
    retry: () => Promise.all([schedule.isError && schedule.refetch(), ongoing.isError && ongoing.refetch()]),
    resume: (link: OngoingPayment) => {
      const redirectUrl = getSafeRedirectUrl(link.redirect_url, getPortalConfig().payment_origins)
      if (redirectUrl === null) return
      const payment = { purpose: link.purpose, amount: link.amount, link }
      const { seconds } = getPortalConfig().countdown
      void loadCountdown().then(() => dispatch({ type: 'resumed', redirectUrl, payment, seconds }))
    },
    redirectNow: () => dispatch({ type: 'redirectNow' }),
    cancelCountdown: () => {
      // The provider's page may be loading already.
      if (running.phase === 'redirecting') window.stop()
      if (mustRefreshAfterCancel(running)) void refreshAll()
      isInProgress.current = false
      dispatch({ type: 'cancelled' })
    },
  }
}

/** Why an open link cannot be resumed; null if it can. */
export function findLinkObstacle(link: OngoingPayment): MessageDescriptor | null {
  if (isBeingApplied(link)) return msg`This payment is being applied`
  const redirectUrl = getSafeRedirectUrl(link.redirect_url, getPortalConfig().payment_origins)
  return redirectUrl === null ? msg`This link cannot be opened. Cancel it and start again.` : null
}

type CreatedLink = Awaited<ReturnType<typeof createLink>>
type CreateLinkOptions = { openLink: PaymentLink | null | undefined; onCreated: (created: CreatedLink) => void; onFailed: () => void }

/**
 * Creates a link. A press whose outcome is unknown is repeated with its key, until a link is seen.
 */
function useCreateLink(loan: Loan, { openLink, onCreated, onFailed }: CreateLinkOptions) {
  const queryClient = useQueryClient()
  const language = useLanguage()
  const keys = useRequestKeys()
  useEffect(() => {
    if (openLink) keys.settle()
  }, [openLink, keys])
  return useMutation({
    mutationFn: (payment: Payment) =>
      createLink(loan, { payment, language, idempotencyKey: keys.keyOf(`${payment.purpose} ${payment.amount}`) }),
    onSuccess: onCreated,
    onError: onFailed,
    onSettled: (_created, error) => {
      keys.settle(error)
      // After any failure the options and the open link may have changed: another tab, another
      // device, a new day.
      void queryClient.invalidateQueries({ queryKey: loansKey })
    },
  })
}

type CancelLinkOptions = { openLink: PaymentLink | null | undefined; onCancelled: () => void }

/** Cancels the open link. Its success is forgotten when a payment is started elsewhere. */
function useCancelLink(loan: Loan, { openLink, onCancelled }: CancelLinkOptions) {
  const queryClient = useQueryClient()
  const { queryKey } = ongoingQuery(loan)
  const cancel = useMutation({
    mutationFn: (link: PaymentLink) => call(cancelPaymentLink, { query: { payment_link_id: link.payment_link_id } }),
    onSuccess: async () => {
      // The answer says that it is over; a read that hangs must not leave it as if it were not.
      await queryClient.cancelQueries({ queryKey })
      queryClient.setQueryData(queryKey, null)
      onCancelled()
    },
    onSettled: () => void queryClient.invalidateQueries({ queryKey }),
  })
  useEffect(() => {
    if (openLink && cancel.isSuccess) cancel.reset()
  }, [openLink, cancel])
  return cancel
}

/** The countdown, after which the provider's page is opened. */
function useRedirect(loan: Loan, onReturn: () => void) {
  return useCountdown({
    onRedirect: (at) => {
      if (at.phase === 'off') return
      const { amount } = at.payment
      const paymentLinkId = at.payment.link.payment_link_id
      // Without the link's id, the waiting page could not match it.
      if (paymentLinkId) rememberStartedPayment({ lan: loan.lan, paymentLinkId, amount: String(amount) })
      else forgetStartedPayment()
      window.location.assign(at.redirectUrl)
    },
    onReturn,
  })
}

type NewLink = { payment: Payment; language: Language; idempotencyKey: string }

/** @throws NoRedirectUrlError if the answer has no address of the provider. */
async function createLink(loan: Loan, { payment, language, idempotencyKey }: NewLink) {
  const created = await call(
    createPaymentLink,
    {
      query: { use_razorpay: getPortalConfig().use_razorpay ? 'true' : 'false', language },
      body: { ...payment, lead_id: getLeadId(loan), application_id: loan.lan, callback_url: getPaymentCallbackUrl() },
    },
    { idempotencyKey },
  )
  const redirectUrl = getSafeRedirectUrl(created.redirect_url, getPortalConfig().payment_origins)
  if (redirectUrl === null) throw new NoRedirectUrlError()
  // The countdown must not run unseen.
  await loadCountdown()
  // The amount from the response: an existing link of an earlier attempt may have an earlier day's
  // amount (decision 38).
  return {
    redirectUrl,
    payment: {
      ...payment,
      amount: created.amount ?? payment.amount,
      link: created,
    },
  }
}

/**
 * When the open link was paid, expired or cancelled elsewhere, all other data of the page is
 * outdated.
 */
export function useRefreshWhenLinkIsGone(link: PaymentLink | null | undefined, refreshAll: () => void): void {
  const was = useRef(link)
  useEffect(() => {
    if (was.current && link === null) refreshAll()
    was.current = link
  })
}

export type Payments = ReturnType<typeof usePayments>
