import type { ReactNode } from 'react'
import type { Paise } from '#domain/money.ts'
import { cx } from '#web/ui/class-names.ts'
import { splitMoney } from '#web/ui/format.ts'

type Size = 'inherit' | 'sm' | 'md' | 'hero'

const sizes: Record<Size, { figure: string; symbol: string; fraction: string }> = {
  inherit: { figure: '', symbol: '', fraction: '' },
  sm: {
    figure: 'text-figure-sm font-semibold tracking-[-0.01em]',
    symbol: 'text-[0.86em] font-normal text-muted',
    fraction: 'text-[0.76em] font-medium text-muted',
  },
  md: {
    figure: 'text-figure-md font-semibold tracking-[-0.015em]',
    symbol: 'text-[0.78em] font-normal text-muted',
    fraction: 'text-[0.6em] font-medium text-muted',
  },
  hero: {
    figure: 'inline-block pb-1.5 text-figure-lg font-[650] tracking-[-0.03em] double-rule md:text-figure-xl',
    symbol: 'mr-[0.06em] text-[0.78em] font-normal text-muted',
    fraction: 'text-[0.6em] font-medium tracking-normal text-muted',
  },
}

/**
 * A money amount. `hero` is the one large figure of a card, with the double rule of a total;
 * columns use `inherit`.
 */
export function Money({ amount, size = 'inherit', className }: { amount: Paise; size?: Size; className?: string }) {
  const { sign, whole, fraction } = splitMoney(amount)
  const look = sizes[size]
  return (
    <span className={cx('whitespace-nowrap tabular-nums lining-nums', look.figure, className)}>
      {sign}
      <span className={look.symbol}>₹</span>
      {whole}
      {fraction !== '' && <span className={look.fraction}>{fraction}</span>}
    </span>
  )
}

type SumLine = { label: ReactNode; amount: Paise }

/** A checkable addition: lines that add up to the total under a double rule. */
export function SumTable({ caption, lines, total }: { caption: string; lines: readonly SumLine[]; total: SumLine }) {
  return (
    <table className="w-full border-collapse text-sm">
      <caption className="sr-only">{caption}</caption>
      <tbody>
        {lines.map((line, index) => (
          <tr key={index} className="border-t border-line first:border-t-0">
            <th scope="row" className="py-1.5 pr-3 text-left align-top font-normal">
              {line.label}
            </th>
            <td className="py-1.5 text-right align-top font-medium">
              <Money amount={line.amount} />
            </td>
          </tr>
        ))}
        <tr className="border-t border-rule font-semibold [border-bottom:3px_double_var(--rule)]">
          <th scope="row" className="py-1.5 pr-3 text-left align-top font-semibold">
            {total.label}
          </th>
          <td className="py-1.5 text-right align-top">
            <Money amount={total.amount} />
          </td>
        </tr>
      </tbody>
    </table>
  )
}
