import { useLingui } from '@lingui/react/macro'
import type { Application } from '#contract/applications.ts'
import { DayText } from '#web/loan/dates.tsx'
import { Leaf, LeafHead } from '#web/ui/leaf.tsx'
import { Trail, type TrailStep } from '#web/ui/trail.tsx'
import { stageText } from './application-texts.ts'

const trailState = { done: 'done', current: 'now', waiting: 'todo' } as const

/** Every stage with its day: behind, under way, to come. */
export function ApplicationProgress({ application }: { application: Application }) {
  const { t, i18n } = useLingui()
  const steps = application.stages.map(({ name, status, date }): TrailStep => ({
    state: trailState[status],
    title: i18n._(stageText[name]),
    detail: date ? <DayText day={date} /> : status === 'current' ? t`In progress` : t`To come`,
  }))
  return (
    <Leaf labelledBy="application-progress">
      <LeafHead id="application-progress" title={t`Progress`} subtitle={t`Application ${application.application_id}`} />
      <Trail label={t`Progress`} steps={steps} />
    </Leaf>
  )
}
