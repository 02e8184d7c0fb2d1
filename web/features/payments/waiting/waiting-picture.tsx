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

/** A stamp for a settled payment. `day` is formatted in the reader's language. */
export function PaidStamp({ word, day }: { word: string; day: string }) {
  return (
    <svg viewBox="0 0 150 150" role="img" aria-label={`${word}, ${day}`} className="mx-auto mb-4 block size-38 text-positive">
      <g transform="rotate(-7 75 75)" fill="none" stroke="currentColor">
        <circle cx="75" cy="75" r="69" strokeWidth="3.5" />
        <circle cx="75" cy="75" r="62" strokeWidth="1.2" />
        <path d="M56 50l13 13 26-28" strokeWidth="7" />
        <path d="M20 78h110M24 105h102" strokeWidth="1.5" />
        <g fill="currentColor" stroke="none" textAnchor="middle" fontWeight="700">
          <text x="75" y="98" fontSize="20">
            {word}
          </text>
          <text x="75" y="121" fontSize="11.5">
            {day}
          </text>
        </g>
      </g>
    </svg>
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
