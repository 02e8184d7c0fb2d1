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
      {Array.from({ length: bars }, (_, index) => (
        <rect
          key={index}
          x={index + 0.16}
          y={1.6}
          width={0.68}
          height={96 * balanceAfter(index / bars)}
          className={index < paidBars ? 'fill-spine-bar' : 'fill-spine-bar-left'}
        />
      ))}
    </svg>
  )
}

/** What is left of a loan of equal instalments when this share of its time is over: slowly at first, faster later. */
const balanceAfter = (share: number): number => (Math.exp(1.2) - Math.exp(1.2 * share)) / (Math.exp(1.2) - 1)
