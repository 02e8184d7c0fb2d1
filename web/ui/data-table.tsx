import { Fragment, type ReactNode, useId, useState, useSyncExternalStore } from 'react'
import { cx } from './class-names.ts'
import { Icon } from './icon.tsx'
import { PhoneRows, rowTones } from './phone-rows.tsx'

export type Column<Row> = {
  key: string
  header: string
  cell: (row: Row) => ReactNode
  align?: 'start' | 'end'
  /** The main figure of the row. */
  strong?: boolean
  /** Hidden under 1024 px. */
  wideOnly?: boolean
  /**
   * On phones: on the first line, left or right; on the second line, left or right; a label with
   * its value (default), which a row with a second line shows when it is opened; or hidden.
   */
  phone?: 'title' | 'aside' | 'figure' | 'note' | 'pair' | 'hidden'
  /** Rows without a value: on phones the pair is left out. */
  isEmpty?: (row: Row) => boolean
  /** On the second line of a phone, the value follows its header. */
  names?: boolean
}

type DataTableProps<Row> = {
  /** The table's name for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  rowTone?: (row: Row) => keyof typeof rowTones | null
  /** 'tranches' 18rem, 'schedule' 400 px, 'default' 500 px (spec §9). */
  height?: keyof typeof heights
  /** Details of a row, which open under it. */
  detail?: RowDetail<Row>
  /** Cards scroll within the height too: for many rows of equal importance. */
  scrollsAsCards?: boolean
  /** Shown without rows. */
  empty: ReactNode
}

const heights = { tranches: 'max-h-[18rem]', schedule: 'max-h-[400px]', default: 'max-h-[500px]' }

/** A table with a sticky head in a scrolling region; on phones a list of rows. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const isNarrow = useIsNarrow()
  const [isOpen, onToggle] = useOpenRows()
  if (props.rows.length === 0) return <p className="border-t border-rule py-4 text-muted">{props.empty}</p>
  const Rows = isNarrow ? PhoneRows : Table
  const rows = <Rows {...props} isOpen={isOpen} onToggle={onToggle} />
  if (isNarrow && !props.scrollsAsCards) return rows
  return (
    // Positioned, so that visually hidden texts inside do not extend the page.
    <div
      role="region"
      aria-label={props.label}
      tabIndex={0}
      className={cx(
        'scroll-edges relative overflow-auto border-t border-b border-t-rule border-b-line print:max-h-none print:overflow-visible',
        heights[props.height ?? 'default'],
      )}
    >
      {rows}
    </div>
  )
}

export type TableProps<Row> = DataTableProps<Row> & { isOpen: (key: Key) => boolean; onToggle: (key: Key) => void }

function Table<Row>({ label, columns, rows, rowKey, rowTone, detail, isOpen, onToggle }: TableProps<Row>) {
  const id = useId()
  const place = (column: Column<Row>) => cx(column.align === 'end' && 'text-right', column.wideOnly && 'max-lg:hidden print:table-cell')
  return (
    <table className="w-full border-separate border-spacing-0 text-sm">
      <caption className="sr-only">{label}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th
              key={column.key}
              scope="col"
              className={cx(
                'sticky top-0 z-1 border-b border-line bg-raised px-1 py-2.5 text-left align-bottom font-medium text-muted lg:px-2 lg:whitespace-nowrap min-[80rem]:px-3 min-[80rem]:first:pl-2',
                place(column),
              )}
            >
              {column.header}
            </th>
          ))}
          {detail && (
            <th scope="col" className="sticky top-0 z-1 border-b border-line bg-raised print:hidden">
              <span className="sr-only">{detail.summary}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const tone = rowTone?.(row) ?? null
          const key = rowKey(row)
          const open = detail !== undefined && isOpen(key)
          const cellTone = tone ? rowTones[tone] : 'group-hover:bg-surface'
          return (
            <Fragment key={key}>
              <tr className="group">
                {columns.map((column) => (
                  <td
                    key={column.key}
                    className={cx(
                      'border-line px-1 py-2.5 align-middle tabular-nums lg:px-2 min-[80rem]:px-3 min-[80rem]:first:pl-2',
                      !open && 'border-b group-last:border-b-0',
                      cellTone,
                      column.strong && 'font-semibold',
                      place(column),
                    )}
                  >
                    {column.cell(row)}
                  </td>
                ))}
                {detail && (
                  <td className={cx('border-line pr-1 text-right print:hidden', !open && 'border-b group-last:border-b-0', cellTone)}>
                    <DetailButton
                      label={`${detail.summary} ${detail.rowName(row)}`}
                      text={detail.isNamed === true ? detail.summary : null}
                      controls={`${id}-${key}`}
                      isOpen={open}
                      onToggle={() => onToggle(key)}
                    />
                  </td>
                )}
              </tr>
              {open && (
                <DetailRow id={`${id}-${key}`} columns={columns.length + 1}>
                  {detail.content(row)}
                </DetailRow>
              )}
            </Fragment>
          )
        })}
      </tbody>
    </table>
  )
}

/**
 * Details of a table's rows: `summary` and `rowName` together name the button, `content` is
 * rendered when a row is opened.
 */
export type RowDetail<Row> = {
  summary: string
  /** Whether a table shows the summary as text beside the rows. */
  isNamed?: boolean
  rowName: (row: Row) => string
  content: (row: Row) => ReactNode
}

type Key = string | number

/** The open rows; several can be open, to compare them. */
function useOpenRows(): [isOpen: (key: Key) => boolean, toggle: (key: Key) => void] {
  const [open, setOpen] = useState<ReadonlySet<Key>>(new Set())
  const toggle = (key: Key): void =>
    setOpen((before) => (before.has(key) ? new Set([...before].filter((one) => one !== key)) : new Set([...before, key])))
  return [(key) => open.has(key), toggle]
}

type DetailButtonProps = { label: string; text: string | null; controls: string; isOpen: boolean; onToggle: () => void }

/** Opens the details of a row. */
function DetailButton({ label, text, controls, isOpen, onToggle }: DetailButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      onClick={onToggle}
      className={cx(
        'relative -my-2 inline-flex h-9 items-center justify-center gap-1 rounded-full align-middle text-brand after:absolute after:-inset-1 hover:bg-brand-soft',
        text === null ? 'w-9' : 'font-medium whitespace-nowrap max-lg:w-9 lg:px-3',
      )}
    >
      {text !== null && <span className="max-lg:hidden">{text}</span>}
      <Icon name="chevronDown" size={18} className={cx('transition-transform', isOpen && 'rotate-180')} />
    </button>
  )
}

/** The table row with the details of the row above. */
function DetailRow({ id, columns, children }: { id: string; columns: number; children: ReactNode }) {
  return (
    <tr id={id}>
      <td colSpan={columns} className="border-b border-line px-3 pt-1 pb-4">
        {children}
      </td>
    </tr>
  )
}

let narrowScreen: MediaQueryList | undefined
/**
 * Screen only: paper is no wider than a tablet, but must contain every row. One query for all
 * tables, which ask at each render.
 */
const matchNarrowScreen = (): MediaQueryList => (narrowScreen ??= window.matchMedia('screen and (max-width: 47.99rem)'))

function subscribe(listener: () => void): () => void {
  matchNarrowScreen().addEventListener('change', listener)
  return () => matchNarrowScreen().removeEventListener('change', listener)
}

/** True under 768 px: phones, where tables become cards. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => matchNarrowScreen().matches)
