/**
 * The highest value of a chart's axis and the distance of its lines, in paise; zeros without data.
 */
export type ChartScale = { top: bigint; step: bigint }

/** Lines at 1, 2 or 5 times a power of ten: three to five of them reach the highest value. */
export function computeChartScale(highest: bigint): ChartScale {
  const step = computeStep(highest)
  return { step, top: step === 0n ? 0n : ((highest + step - 1n) / step) * step }
}

function computeStep(highest: bigint): bigint {
  if (highest <= 0n) return 0n
  let unit = 1n
  while (unit * 50n < highest) unit *= 10n
  for (const factor of [1n, 2n, 5n, 10n]) if (unit * factor * 4n >= highest) return unit * factor
  return unit * 20n
}
