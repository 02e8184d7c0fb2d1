import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Proposal } from '#contract/operations.ts'
import { Badge } from '#web/ui/badge.tsx'
import { stateLook } from './kind-texts.ts'
import { computeAge } from './queue-state.ts'

/** The state of a proposal as a word with icon and colour. */
export function ProposalBadge({ state, size = 'md' }: { state: Proposal['state']; size?: 'md' | 'lg' }) {
  const { i18n } = useLingui()
  const { text, tone, icon } = stateLook[state]
  return (
    <Badge tone={tone} size={size} {...(icon && { icon })}>
      {i18n._(text)}
    </Badge>
  )
}

/** How long something waits: '5 hours', '3 days'. */
export function AgeText({ from }: { from: Date }) {
  const { t } = useLingui()
  const { unit, count } = computeAge(from, useOpenedAtMs())
  if (unit === 'days') return <>{t`${plural(count, { one: '# day', other: '# days' })}`}</>
  return <>{count === 0 ? t`less than an hour` : t`${plural(count, { one: '# hour', other: '# hours' })}`}</>
}

/** The time at which a part of a page appeared: ages in hours need no clock that ticks. */
export function useOpenedAtMs(): number {
  const [openedAtMs] = useState(() => Date.now())
  return openedAtMs
}
