import { useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { useIsNarrow } from './data-table.tsx'
import { showRest } from './move-focus.ts'

/** How many rows a phone shows before the rest is asked for. */
const phoneRows = 10

type FirstRows<Row> = {
  shown: readonly Row[]
  /** The places of the first and last shown row, from 1. */
  first: number
  last: number
  /** The button for the rest, with this text; null without a rest. */
  showAll: (text: string) => ReactNode
}

/**
 * On phones ten rows of a list, from the row `start` on, until all are asked for; elsewhere all. A
 * new `view` begins with ten again.
 */
export function useFirstRows<Row>(rows: readonly Row[], start = 0, view = ''): FirstRows<Row> {
  const isNarrow = useIsNarrow()
  const [fullView, setFullView] = useState<string | null>(null)
  const showsAll = !isNarrow || fullView === view || rows.length <= phoneRows
  const from = showsAll ? 0 : Math.max(0, Math.min(start, rows.length - phoneRows))
  const shown = showsAll ? rows : rows.slice(from, from + phoneRows)
  return {
    shown,
    first: from + 1,
    last: from + shown.length,
    showAll: (text) =>
      showsAll ? null : (
        <Button
          variant="secondary"
          block
          className="mt-3"
          // Rows before the shown ones come first.
          onClick={({ currentTarget }) => showRest(currentTarget, from > 0 ? 0 : phoneRows, () => setFullView(view))}
        >
          {text}
        </Button>
      ),
  }
}
