const bars = 24
const paidBars = 8

/** A loan going down to nothing: the longer ago, the longer the bar; the ones already paid are lit. */
export function LoginPicture() {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 100"
      preserveAspectRatio="none"
      className="absolute top-17 right-0 left-4 h-21 w-[calc(100%-1rem)] md:top-30 md:left-12 md:h-76 md:w-[calc(100%-3rem)]"
    >
      <rect width={bars} height={1.6} className="fill-spine-mark" />
      <path d={barsOf(0, paidBars)} className="fill-spine-bar" />
      <path d={barsOf(paidBars, bars)} className="fill-spine-bar-left" />
    </svg>
  )
}

/** Bars from one up to another as one shape: the page is drawn sooner than with an element for each. */
const barsOf = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, offset) => {
    const index = from + offset
    const height = (96 * balanceAfter(index / bars)).toFixed(1)
    return `M${index}.16 1.6h.68v${height}h-.68z`
  }).join('')

/** What is left of a loan of equal instalments when this share of its time is over: slowly at first, faster later. */
const balanceAfter = (share: number): number => (Math.exp(1.2) - Math.exp(1.2 * share)) / (Math.exp(1.2) - 1)
