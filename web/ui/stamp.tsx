/** A stamp for a settled payment or loan. `day` is formatted in the reader's language. */
export function PaidStamp({ word, day }: { word: string; day: string }) {
  return (
    <svg viewBox="0 0 150 150" role="img" aria-label={`${word}, ${day}`} className="mx-auto mb-4 block size-38 flex-none text-positive">
      <g transform="rotate(-7 75 75)" fill="none" stroke="currentColor">
        <circle cx="75" cy="75" r="69" strokeWidth="3.5" />
        <circle cx="75" cy="75" r="62" strokeWidth="1.2" />
        <path d="M56 50l13 13 26-28" strokeWidth="7" />
        <path d="M20 78h110M24 105h102" strokeWidth="1.5" />
        <g fill="currentColor" stroke="none" textAnchor="middle" fontWeight="700">
          {/* A longer word, such as PART PAID, would touch the circle. */}
          <text x="75" y="98" fontSize={word.length > 7 ? 16 : 20}>
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
