import type { ReactNode } from 'react'

/** The logo as a progress picture: bars filled so far, the next one animated. */
export function ProgressBars({ filled }: { filled: 1 | 2 | 3 }) {
  const heights = ['h-full', 'h-[76%]', 'h-[52%]', 'h-[28%]']
  return (
    <div aria-hidden="true" className="mx-auto mb-6 flex h-24 w-34 items-start justify-center gap-2 border-t-[5px] border-chart-paid">
      {heights.map((height, index) => (
        <i key={height} className={`relative w-5.5 bg-chart-left ${height}`}>
          {index < filled && <i className="absolute inset-0 bg-chart-paid" />}
          {index === filled && <i className="absolute inset-x-0 top-0 h-[55%] animate-pulse bg-chart-paid motion-reduce:animate-none" />}
        </i>
      ))}
    </div>
  )
}

/** A dashed circle with a clock or a cross, for results other than success. */
export function UnsettledMark({ kind }: { kind: 'clock' | 'cross' }) {
  return (
    <Circle tone={kind === 'clock' ? 'text-caution' : 'text-danger'}>
      {kind === 'clock' ? <path d="M75 38v38l27 15" strokeWidth="7" /> : <path d="M52 52l46 46M98 52l-46 46" strokeWidth="7" />}
    </Circle>
  )
}

function Circle({ tone, children }: { tone: string; children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 150 150"
      aria-hidden="true"
      className={`mx-auto mb-4 block size-38 ${tone}`}
      fill="none"
      stroke="currentColor"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <circle cx="75" cy="75" r="67" strokeWidth="3.5" strokeDasharray="13 9" />
      {children}
    </svg>
  )
}
