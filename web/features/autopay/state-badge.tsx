import { useLingui } from '@lingui/react/macro'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import type { AutopayState } from './autopay-state.ts'

/** The state of autopay in a word, announced when it changes; none while it is only on offer. */
export function StateBadge({ state }: { state: AutopayState }) {
  const { t } = useLingui()
  const badges: Partial<Record<AutopayState['kind'], [Tone, string]>> = {
    waiting: ['caution', t`Waiting for approval`],
    active: ['positive', t`On`],
    announced: ['positive', t`On`],
    in_progress: ['info', t`Debit in progress`],
    paused: ['caution', t`Paused`],
    ending: ['neutral', t`Ending`],
    ended: ['neutral', t`Ended`],
  }
  const badge = badges[state.kind]
  if (badge === undefined) return null
  const isWithBank = state.kind === 'waiting' && state.mandate.status === 'initiated'
  return (
    <span role="status">
      <Badge tone={badge[0]}>{isWithBank ? t`Waiting for the bank` : badge[1]}</Badge>
    </span>
  )
}
