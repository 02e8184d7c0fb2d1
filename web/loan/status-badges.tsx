import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { InstalmentStatus, LoanStatus } from '#domain/loans.ts'
import type { RefundStatus } from '#domain/refunds.ts'
import type { TrancheStage } from '#domain/tranches.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import type { IconName } from '#web/ui/icon.tsx'
import { getLateTone } from './dpd.ts'

export const loanStatusText: Record<LoanStatus, MessageDescriptor> = {
  ACTIVE: msg`Active`,
  OVERDUE: msg`Overdue`,
  CLOSED: msg`Closed`,
  UNKNOWN: msg`Being checked`,
}

/** The status of a loan as a word; overdue in the colour of its days past due. */
export function LoanStatusBadge({ status, dpd }: { status: LoanStatus; dpd: number }) {
  const { i18n } = useLingui()
  const tone = { ACTIVE: 'positive', OVERDUE: getLateTone(dpd), CLOSED: 'neutral', UNKNOWN: 'info' } as const
  return (
    <Badge tone={tone[status]} {...(status === 'CLOSED' && { icon: 'check' })}>
      {i18n._(loanStatusText[status])}
    </Badge>
  )
}

const instalmentStatusText: Record<InstalmentStatus, MessageDescriptor> = {
  Paid: msg`Paid`,
  Late: msg`Late`,
  Due: msg`Due`,
  Unknown: msg`Being checked`,
}

/** The status of an instalment; late in the colour of the loan's days past due. */
export function InstalmentStatusBadge({ status, dpd }: { status: InstalmentStatus; dpd: number }) {
  const { i18n } = useLingui()
  const tone = { Paid: 'positive', Late: getLateTone(dpd), Due: 'neutral', Unknown: 'info' } as const
  return (
    <Badge tone={tone[status]} {...(status === 'Due' && { icon: 'calendar' })}>
      {i18n._(instalmentStatusText[status])}
    </Badge>
  )
}

/**
 * Money that no longer counts for the loan. Without a refund of all of it, the payer's bank took it
 * back, or the lender reversed the payment.
 */
export function ReturnedBadge({ refundStatus }: { refundStatus: RefundStatus | null | undefined }) {
  const { t } = useLingui()
  if (!refundStatus) return <Badge tone="danger">{t`Taken back`}</Badge>
  return <Badge tone="info">{refundStatus === 'processed' ? t`Returned to you` : t`Being returned`}</Badge>
}

export const trancheStageText: Record<TrancheStage, MessageDescriptor> = {
  requested: msg`Requested`,
  approved: msg`Approved`,
  released: msg`Disbursed`,
  rejected: msg`Rejected`,
}

/** The stage of a tranche, from its two statuses (decision 40). */
export function TrancheStageBadge({ stage }: { stage: TrancheStage }) {
  const { i18n } = useLingui()
  const { tone, icon } = trancheStageLook[stage]
  return (
    <Badge tone={tone} {...(icon && { icon })}>
      {i18n._(trancheStageText[stage])}
    </Badge>
  )
}

const trancheStageLook: Record<TrancheStage, { tone: Tone; icon?: IconName }> = {
  requested: { tone: 'caution' },
  approved: { tone: 'info', icon: 'shield' },
  released: { tone: 'positive' },
  rejected: { tone: 'danger', icon: 'close' },
}
