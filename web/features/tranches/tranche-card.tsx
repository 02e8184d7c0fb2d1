import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Suspense, useState, type ReactNode } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { Tranche } from '#contract/tranches.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { DataTable } from '#web/ui/data-table.tsx'
import { useFirstRows } from '#web/ui/first-rows.tsx'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { createLazyPart, usePreloadWhenIdle } from '#web/ui/lazy-part.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { useTrancheColumns } from './tranche-columns.tsx'
import { asksForDecision, findRequestObstacle, isPayoutDue, readTypedTranche, type RequestObstacle } from './tranche-form.ts'
import { type Tranches, tranchesQuery } from './tranche-queries.ts'

/** What was disbursed of the loan and what was requested (spec §2 'Loan details tab'). */
export function TrancheCard({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  const query = useLoad(tranchesQuery(loan))
  const [disbursed, sanctioned] = [formatMoney(loan.disbursed_amount), formatMoney(loan.sanctioned_amount)]
  const card = (content: ReactNode) => <Card labelledBy="disbursals">{content}</Card>
  return (
    <Loaded
      query={query}
      failed={t`Failed to load disbursals`}
      loading={card(
        <>
          <CardHead id="disbursals" title={t`Disbursals`} subtitle={t`${disbursed} of ${sanctioned} has been disbursed.`} />
          <Skeleton className="h-40" />
        </>,
      )}
    >
      {(tranches) => card(<Disbursals loan={loan} tranches={tranches} onOpen={() => void query.refetch()} />)}
    </Loaded>
  )
}

const TrancheDialog = createLazyPart(async () => (await import('./tranche-dialog.tsx')).TrancheDialog)

type Opened = { kind: 'none' } | { kind: 'request' } | { kind: 'edit'; tranche: Tranche }

/** The dialog in which something was typed before. */
function findOpened({ lan }: Loan, { tranches }: Tranches, obstacle: RequestObstacle | null): Opened {
  if (obstacle === null && readTypedTranche(lan, null)) return { kind: 'request' }
  const tranche = tranches.find((one) => readTypedTranche(lan, one) !== null)
  return tranche ? { kind: 'edit', tranche } : { kind: 'none' }
}

function Disbursals({ loan, tranches, onOpen }: { loan: Loan; tranches: Tranches; onOpen: () => void }) {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const permission = usePermission('loan:update')
  usePreloadWhenIdle(TrancheDialog)
  const obstacle = findRequestObstacle(loan, tranches)
  const [opened, setOpened] = useState(() => findOpened(loan, tranches, obstacle))
  const edited = opened.kind === 'edit' ? opened.tranche : null
  const [sent, setSent] = useState<{ tranche: Tranche; isNew: boolean } | null>(null)
  const [disbursed, sanctioned] = [formatMoney(loan.disbursed_amount), formatMoney(loan.sanctioned_amount)]
  const open = (next: Opened): void => {
    setSent(null)
    setOpened(next)
    // The selectable days depend on today, and the page may be open since yesterday.
    onOpen()
  }
  const columns = useTrancheColumns(tranches.tranches, permission, (tranche) => open({ kind: 'edit', tranche }))
  const { shown, showAll } = useFirstRows(tranches.tranches)
  const count = tranches.tranches.length
  const amount = sent && formatMoney(sent.tranche.tranche_amount)
  const day = sent && formatDay(sent.tranche.date_of_disbursement, language)

  return (
    <>
      <CardHead id="disbursals" title={t`Disbursals`} subtitle={t`${disbursed} of ${sanctioned} has been disbursed.`}>
        <div className="max-w-80 md:ml-auto md:text-right">
          <ActionButton
            endsRight
            variant="secondary"
            permission={permission}
            disabledReason={obstacle && i18n._(obstacleText[obstacle])}
            onClick={() => open({ kind: 'request' })}
          >
            {t`Request disbursal`}
          </ActionButton>
        </div>
      </CardHead>
      <div role="status">
        {sent && (
          <Banner tone="positive" className="mb-4">
            {sent.isNew
              ? t`Your request for ${amount} on ${day} has been sent. Your lender will decide on it.`
              : t`Your request has been changed to ${amount} on ${day}. Your lender will decide on it.`}
          </Banner>
        )}
      </div>
      <DataTable
        label={t`Disbursals of this loan`}
        columns={columns}
        rows={shown}
        rowKey={(tranche) => tranche.partner_tranche_id}
        height="tranches"
        empty={t`No data found`}
      />
      {showAll(t`Show all ${count} disbursals`)}
      {tranches.tranches.some((tranche) => isPayoutDue(tranche, tranches)) && (
        <p className="mt-3 text-sm text-muted">
          {t`An approved disbursal can be changed until the day before its date. To change it later, ask your lender.`}
        </p>
      )}
      {/* Mounted when opened, so that it starts empty each time and keeps its input while it is
          open. */}
      {opened.kind !== 'none' && (
        <Suspense>
          <TrancheDialog
            loan={loan}
            tranches={tranches}
            edited={edited}
            onClose={() => setOpened({ kind: 'none' })}
            onSent={(tranche) => {
              if (asksForDecision(tranche, edited)) setSent({ tranche, isNew: edited === null })
              setOpened({ kind: 'none' })
            }}
          />
        </Suspense>
      )}
    </>
  )
}

const obstacleText: Record<RequestObstacle, MessageDescriptor> = {
  loan_overdue: msg`Available once nothing is overdue`,
  loan_closed: msg`This loan is closed`,
  loan_unknown: msg`Your lender is checking this loan`,
  not_allowed: msg`Your lender does not accept requests for this loan here`,
  one_undecided: msg`Your lender has not yet decided on your last request`,
  no_day_left: msg`The first disbursal has to come before the first EMI, and no day is left. Ask your lender.`,
  nothing_left: msg`The full amount of this loan has been disbursed or requested`,
}
