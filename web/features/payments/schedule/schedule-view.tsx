import { useLingui } from '@lingui/react/macro'
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type RefObject } from 'react'

/** The scrollable region; none if rows are cards. */
const findRegion = (table: RefObject<HTMLElement | null>): HTMLElement | null => table.current?.querySelector('[role=region]') ?? null

/** Without expanded details, which have an id. */
const findRows = (region: HTMLElement): HTMLElement[] => [...region.querySelectorAll<HTMLElement>('tbody tr:not([id])')]

/**
 * Scrolls the table to the first unpaid row. Once for each `view`: a background refresh must not
 * scroll.
 */
export function useScrolledTo(table: RefObject<HTMLElement | null>, index: number, view: string): void {
  const scrolledFor = useRef<string>(null)
  useLayoutEffect(() => {
    if (scrolledFor.current === view) return
    scrolledFor.current = view
    const region = findRegion(table)
    const head = region?.querySelector<HTMLElement>('thead')
    const row = region ? findRows(region)[index] : undefined
    if (region && head) region.scrollTop = row ? row.offsetTop - head.offsetHeight : 0
  }, [table, view, index])
}

type ShownRowsProps = {
  table: RefObject<HTMLElement | null>
  /** The rendered rows, and the number of all rows. */
  first: number
  last: number
  total: number
}

/**
 * 'Showing X to Y of Z Entries': the visible rows of a scrolling table, else and on paper all
 * rendered rows.
 */
export function ShownRows({ table, first: firstDrawn, last: lastDrawn, total }: ShownRowsProps) {
  const { t } = useLingui()
  const text = (first: number, last: number) => t`Showing ${first} to ${last} of ${total} Entries`
  const isOnPaper = useIsOnPaper()
  const [inView, setInView] = useState<string | null>(null)

  useEffect(() => {
    const region = findRegion(table)
    if (region === null) return undefined
    const look = (): void => setInView(findRowsInView(region))
    look()
    region.addEventListener('scroll', look, { passive: true })
    // Observes the region and its rows: an expanded row moves others out of view.
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

/** Whether the page is being printed. */
const useIsOnPaper = (): boolean => useSyncExternalStore(subscribeToPaper, () => paper.matches)

/**
 * The first and last row that are at least half visible between the sticky head and the lower edge,
 * as 'first-last'; a string, so that React can compare it.
 */
function findRowsInView(region: HTMLElement): string | null {
  // A hidden column has no height.
  const top = Math.max(...[...region.querySelectorAll('thead th')].map((cell) => cell.getBoundingClientRect().bottom))
  const { bottom } = region.getBoundingClientRect()
  const places = findRows(region).flatMap((row, place) => {
    const box = row.getBoundingClientRect()
    const middle = (box.top + box.bottom) / 2
    return middle >= top && middle <= bottom ? [place] : []
  })
  return places.length === 0 ? null : `${places.at(0)}-${places.at(-1)}`
}
