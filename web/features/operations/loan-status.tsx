import { useLingui } from '@lingui/react/macro'
import type { LoanFigures } from '#contract/operation-kinds.ts'
import { Badge } from '#web/ui/badge.tsx'

type LoanStatus = LoanFigures['loan_status']

const tones = { ACTIVE: 'positive', OVERDUE: 'danger', CLOSED: 'neutral', UNKNOWN: 'caution' } as const

/** The status of a loan in words. */
export function useLoanStatusText(): (status: LoanStatus) => string {
  const { t } = useLingui()
  return (status) => ({ ACTIVE: t`Active`, OVERDUE: t`Overdue`, CLOSED: t`Closed`, UNKNOWN: t`Being checked` })[status]
}

export function LoanStatusBadge({ status }: { status: LoanStatus }) {
  const statusText = useLoanStatusText()
  return <Badge tone={tones[status]}>{statusText(status)}</Badge>
}
