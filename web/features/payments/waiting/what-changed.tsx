import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { ResponseOf } from '#contract/endpoint.ts'
import type { readPaymentTrail } from '#contract/payments.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { ChangedValue, renderMoney } from '#web/loan/changed-value.tsx'
import { Money } from '#web/loan/money.tsx'
import { pastPurposeText } from '#web/loan/purpose-text.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { formatDay } from '#web/ui/format.ts'
import { ReceiptButton } from '../history/receipt-button.tsx'

type Trail = ResponseOf<typeof readPaymentTrail>

/**
 * The payment, what it changed, and its receipt. The figures are the server's for this payment, so
 * they stay right when other money comes or the page is opened again on a later day. Before the
 * payment is posted: what was paid, and to whom.
 */
export function WhatChanged({ trail: { lan, payment_link: link, steps, effect }, isSettled }: { trail: Trail; isSettled: boolean }) {
  const { t, i18n } = useLingui()
  const { lender } = getPortalConfig().brand
  const language = useLanguage()
  const from = effect?.emi && formatDay(effect.emi.from, language)
  const receipts = steps.flatMap(({ receipt_number: number }) => number ?? [])
  const isPart = effect !== null && effect.received < link.amount
  return (
    <>
      <dl className="text-sm tabular-nums">
        <Line label={i18n._(pastPurposeText[link.purpose])}>
          {isPart ? (
            <Trans>
              <Money amount={effect.received} /> of <Money amount={link.amount} />
            </Trans>
          ) : (
            <Money amount={effect?.received ?? link.amount} />
          )}
        </Line>
        {!isSettled && lender !== '' && <Line label={t`Paid to`}>{lender}</Line>}
        {isSettled && effect && (
          <>
            <Line label={t`Instalments left`}>
              <ChangedValue before={effect.instalments_left_before} after={effect.instalments_left_after} render={String} />
            </Line>
            {effect.emi && from && (
              <Line label={t`EMI from ${from}`}>
                <ChangedValue before={effect.emi.before} after={effect.emi.after} render={renderMoney} />
              </Line>
            )}
            <Line label={t`Outstanding before`}>
              <Money amount={effect.principal_before} />
            </Line>
            <div className="flex justify-between gap-4 border-t border-rule py-1.5 font-semibold [border-bottom:3px_double_var(--rule)]">
              <dt>{t`Outstanding now`}</dt>
              <dd>
                <Money amount={effect.principal_after} />
              </dd>
            </div>
          </>
        )}
      </dl>
      {isSettled &&
        receipts.map((number) => (
          <ReceiptButton key={number} loan={{ lan, lead_id: null }} receiptNumber={number} isNumbered={receipts.length > 1} isProminent />
        ))}
    </>
  )
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4 border-t border-line py-1.5 first:border-t-0">
      <dt>{label}</dt>
      <dd className="font-medium">{children}</dd>
    </div>
  )
}
