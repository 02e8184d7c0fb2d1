import { useLingui } from '@lingui/react/macro'
import type { Tranche } from '#contract/tranches.ts'
import { Badge } from '#web/ui/badge.tsx'

/** How far a tranche has come: what its two statuses mean together (decision 40). */
export function StageBadge({ tranche }: { tranche: Tranche }) {
  const { t } = useLingui()
  switch (tranche.stage) {
    case 'requested':
      return <Badge tone="caution">{t`Requested`}</Badge>
    case 'approved':
      return (
        <Badge tone="info" icon="shield">
          {t`Approved`}
        </Badge>
      )
    case 'released':
      return <Badge tone="positive">{t`Disbursed`}</Badge>
    case 'rejected':
      return (
        <Badge tone="danger" icon="close">
          {t`Rejected`}
        </Badge>
      )
  }
}

/** Whether the money has left. */
export function ReleaseBadge({ tranche }: { tranche: Tranche }) {
  const { t } = useLingui()
  switch (tranche.release_status) {
    case 'RELEASED':
      return <Badge tone="positive">{t`Released`}</Badge>
    case 'NOT_RELEASED':
      return <Badge icon="clock">{t`Not released yet`}</Badge>
    case 'UNKNOWN':
      return (
        <Badge icon={tranche.stage === 'rejected' ? 'close' : 'info'}>
          {tranche.stage === 'rejected' ? t`Will not be released` : t`Not known`}
        </Badge>
      )
  }
}
