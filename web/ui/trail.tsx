import type { ReactNode } from 'react'

export type TrailStep = { state: 'done' | 'now' | 'todo'; title: ReactNode; detail?: ReactNode }

const marks = {
  done: 'bg-chart-paid',
  now: 'border-3 border-chart-paid bg-raised',
  todo: 'border-2 border-line-strong bg-raised',
}

/** Past, current and future steps in a list. */
export function Trail({ steps, label }: { steps: readonly TrailStep[]; label: string }) {
  return (
    <ol aria-label={label} className="ml-1">
      {steps.map(({ state, title, detail }, index) => (
        <li
          key={index}
          aria-current={state === 'now' ? 'step' : undefined}
          className={`relative pb-3 pl-7 text-sm last:pb-0 ${state === 'todo' ? 'text-muted' : ''}`}
        >
          {index < steps.length - 1 && (
            <i
              aria-hidden="true"
              className={`absolute top-3.5 -bottom-1.5 left-[0.3125rem] ${
                state === 'done' ? 'border-l-2 border-chart-paid' : 'border-l-2 border-dashed border-line-strong'
              }`}
            />
          )}
          <i
            aria-hidden="true"
            className={`absolute top-[0.3125rem] left-0 size-3 rounded-[2px] forced-color-adjust-none ${marks[state]}`}
          />
          {state === 'now' ? <b className="font-semibold">{title}</b> : title}
          {detail !== undefined && <div className="text-muted tabular-nums">{detail}</div>}
        </li>
      ))}
    </ol>
  )
}
