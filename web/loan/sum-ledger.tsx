import type { ReactNode } from 'react'
import type { Paise } from '#domain/money.ts'
import { Money } from './money.tsx'

export type SumLine = { label: ReactNode; amount: Paise }

/** An addition that can be checked with a pencil: lines that add up to the total under the double rule. */
export function SumLedger({ caption, lines, total }: { caption: string; lines: readonly SumLine[]; total: SumLine }) {
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
