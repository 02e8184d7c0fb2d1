import { getPortalConfig } from '#web/portal-config.ts'

/** The seconds left as a ring that empties. A picture only: the dialog tells the seconds to a screen reader in its own way. */
export function CountdownRing({ secondsLeft }: { secondsLeft: number }) {
  const { seconds } = getPortalConfig().countdown
  return (
    <div aria-hidden="true" className="relative mx-auto size-36">
      <svg viewBox="0 0 100 100" className="size-full" fill="none" strokeWidth="6">
        <circle cx="50" cy="50" r="45" className="stroke-chart-left" />
        {secondsLeft > 0 && (
          <circle
            cx="50"
            cy="50"
            r="45"
            className="stroke-chart-paid"
            pathLength={seconds}
            strokeDasharray={`${secondsLeft} ${seconds}`}
            transform="rotate(-90 50 50)"
          />
        )}
      </svg>
      <b className="absolute inset-0 grid place-items-center text-figure-xl leading-none font-[650] tracking-[-0.03em] tabular-nums">
        {secondsLeft}
      </b>
    </div>
  )
}
