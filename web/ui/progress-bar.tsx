/** A progress bar, and the same in words. */
export function ProgressBar({ label, percent, text }: { label: string; percent: number; text: string }) {
  return (
    <div>
      {/* An SVG, because our content security policy lets scripts set its width attribute, but no
          style attribute. */}
      <svg
        role="progressbar"
        aria-label={label}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        className="h-2 w-full overflow-hidden rounded-full bg-sunken"
      >
        <rect width={percent} height="8" className="fill-brand" />
      </svg>
      <p role="status" className="mt-1.5 text-sm text-muted tabular-nums">
        {text}
      </p>
    </div>
  )
}
