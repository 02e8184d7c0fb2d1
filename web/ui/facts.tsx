import { useLingui } from '@lingui/react/macro'
import { useId, useState, type ReactNode } from 'react'
import { cx } from './class-names.ts'
import { Icon } from './icon.tsx'

type Fact = {
  label: string
  value: ReactNode
  note?: ReactNode
  /** How the value is computed; rendered when it is opened. */
  explain?: ReactNode
}

/**
 * Up to four short values side by side, each with a note; explanations open below them in full
 * width.
 */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  const panelId = useId()
  const [asked, setAsked] = useState<string | null>(null)
  const explain = facts.find(({ label }) => label === asked)?.explain
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 md:grid-cols-4 md:gap-x-6 md:gap-y-4">
        {facts.map((fact) => (
          <div key={fact.label} className="min-w-0">
            <dt className="flex items-center gap-1 text-sm text-muted">
              {fact.label}
              {fact.explain && (
                <ExplainButton
                  label={fact.label}
                  panelId={panelId}
                  isOpen={fact.label === asked}
                  onToggle={() => setAsked(fact.label === asked ? null : fact.label)}
                />
              )}
            </dt>
            <dd className="text-figure-sm/7 font-semibold tabular-nums">
              {fact.value}
              {fact.note && <span className="block text-xs font-normal text-balance text-muted">{fact.note}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <div id={panelId} className={explain ? 'mt-4 rounded-md bg-surface p-4' : ''}>
        {explain}
      </div>
    </>
  )
}

type ExplainButtonProps = { label: string; panelId: string; isOpen: boolean; onToggle: () => void }

/** Opens how a figure is computed; beside the figure's label. */
export function ExplainButton({ label, panelId, isOpen, onToggle }: ExplainButtonProps) {
  const { t } = useLingui()
  return (
    <button
      type="button"
      aria-label={t`How is this computed? ${label}`}
      aria-expanded={isOpen}
      aria-controls={panelId}
      onClick={onToggle}
      className={cx(
        'relative -my-2 grid size-9 place-items-center rounded-full text-brand after:absolute after:-inset-1 hover:bg-brand-soft',
        isOpen && 'bg-brand-soft text-on-brand-soft',
      )}
    >
      <Icon name="help" size={18} />
    </button>
  )
}
