import { useLingui } from '@lingui/react/macro'
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type RefObject } from 'react'

/** The scrolled region within; there is none where rows are cards. */
const regionIn = (table: RefObject<HTMLElement | null>): HTMLElement | null => table.current?.querySelector('[role=region]') ?? null

/** Not what opens under a row, which has an id. */
const rowsIn = (region: HTMLElement): HTMLElement[] => [...region.querySelectorAll<HTMLElement>('tbody tr:not([id])')]

/**
 * Opens the table at the first row that wants money: with twenty rows paid, it would lie below the edge. Once for each `view`:
 * a refresh in the background must not move what is being read.
 */
export function useScrolledTo(table: RefObject<HTMLElement | null>, index: number, view: string): void {
  const scrolledFor = useRef<string>(null)
  useLayoutEffect(() => {
    if (scrolledFor.current === view) return
    scrolledFor.current = view
    const region = regionIn(table)
    const head = region?.querySelector<HTMLElement>('thead')
    const row = region ? rowsIn(region)[index] : undefined
    if (region && head) region.scrollTop = row ? row.offsetTop - head.offsetHeight : 0
  }, [table, view, index])
}

type ShownRowsProps = {
  table: RefObject<HTMLElement | null>
  /** The rows that are drawn, of how many. */
  first: number
  last: number
  total: number
}

/** 'Showing X to Y of Z Entries': the rows in view where the table scrolls, all that are drawn elsewhere and on paper. */
export function ShownRows({ table, first: firstDrawn, last: lastDrawn, total }: ShownRowsProps) {
  const { t } = useLingui()
  const text = (first: number, last: number) => t`Showing ${first} to ${last} of ${total} Entries`
  const isOnPaper = useIsOnPaper()
  const [inView, setInView] = useState<string | null>(null)

  useEffect(() => {
    const region = regionIn(table)
    if (region === null) return undefined
    const look = (): void => setInView(rowsInView(region))
    look()
    region.addEventListener('scroll', look, { passive: true })
    // Its own size and its rows': a row that opens pushes others out of view.
    const sizes = new ResizeObserver(look)
    sizes.observe(region)
    for (const part of region.children) sizes.observe(part)
    return () => {
      region.removeEventListener('scroll', look)
      sizes.disconnect()
    }
  }, [table, firstDrawn, lastDrawn, total])

  const [from = firstDrawn, to = lastDrawn] = inView === null ? [] : inView.split('-').map((place) => Number(place) + firstDrawn)
  return <p>{isOnPaper ? text(firstDrawn, lastDrawn) : text(from, to)}</p>
}

const paper = window.matchMedia('print')

function subscribeToPaper(listener: () => void): () => void {
  paper.addEventListener('change', listener)
  return () => paper.removeEventListener('change', listener)
}

/** While the page is being printed. */
const useIsOnPaper = (): boolean => useSyncExternalStore(subscribeToPaper, () => paper.matches)

/** The first and last row of which at least half lies between the head, whose cells stay, and the lower edge, as 'first-last'; text, so that it compares. */
function rowsInView(region: HTMLElement): string | null {
  // A column that is left out has no height.
  const top = Math.max(...[...region.querySelectorAll('thead th')].map((cell) => cell.getBoundingClientRect().bottom))
  const { bottom } = region.getBoundingClientRect()
  const places = rowsIn(region).flatMap((row, place) => {
    const box = row.getBoundingClientRect()
    const middle = (box.top + box.bottom) / 2
    return middle >= top && middle <= bottom ? [place] : []
  })
  return places.length === 0 ? null : `${places.at(0)}-${places.at(-1)}`
}
