import { Fragment, type ReactNode, useId, useState, useSyncExternalStore } from 'react'
import { cx } from './class-names.ts'
import { Disclosure } from './disclosure.tsx'
import { Icon } from './icon.tsx'

export type Column<Row> = {
  key: string
  header: string
  cell: (row: Row) => ReactNode
  align?: 'start' | 'end'
  /** The main figure of the row. */
  strong?: boolean
  /** Hidden under 1024 px. */
  wideOnly?: boolean
  /** On a card: its title, at its right end, a label with its value (default), or hidden. */
  phone?: 'title' | 'aside' | 'pair' | 'hidden'
  /** Rows without a value: a card leaves the pair out. */
  isEmpty?: (row: Row) => boolean
}

type DataTableProps<Row> = {
  /** The table's name for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  rowTone?: (row: Row) => keyof typeof tones | null
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
/** Positioned, so that visually hidden texts inside do not extend the page. */
const scrolls = 'relative overflow-auto border-t border-t-rule print:max-h-none print:overflow-visible'
const tones = { next: 'bg-brand-soft', caution: 'bg-caution-soft', danger: 'bg-danger-soft' }

/**
 * A table with a sticky head in a scrolling region; on phones each row is a card of labels and
 * values.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const isNarrow = useIsNarrow()
  if (props.rows.length === 0) return <p className="border-t border-rule py-4 text-muted">{props.empty}</p>
  if (!isNarrow) return <Table {...props} />
  if (!props.scrollsAsCards) return <Cards {...props} />
  return (
    <div role="region" aria-label={props.label} tabIndex={0} className={cx(scrolls, heights[props.height ?? 'default'])}>
      <Cards {...props} />
    </div>
  )
}

function Table<Row>({ label, columns, rows, rowKey, rowTone, detail, height = 'default' }: DataTableProps<Row>) {
  const id = useId()
  const [isOpen, toggle] = useOpenRows()
  const place = (column: Column<Row>) => cx(column.align === 'end' && 'text-right', column.wideOnly && 'max-lg:hidden print:table-cell')
  return (
    <div role="region" aria-label={label} tabIndex={0} className={cx(scrolls, 'border-b border-b-line', heights[height])}>
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
            const cellTone = tone ? tones[tone] : 'group-hover:bg-surface'
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
                        controls={`${id}-${key}`}
                        isOpen={open}
                        onToggle={() => toggle(key)}
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
    </div>
  )
}

function Cards<Row>({ label, columns, rows, rowKey, rowTone, detail, scrollsAsCards = false }: DataTableProps<Row>) {
  const titleId = useId()
  const of = (place: Column<Row>['phone']) => columns.filter((column) => (column.phone ?? 'pair') === place)
  return (
    <ul aria-label={label} className={scrollsAsCards ? 'pr-3' : 'border-t border-rule'}>
      {rows.map((row) => {
        const tone = rowTone?.(row) ?? null
        const key = rowKey(row)
        return (
          <li
            key={key}
            aria-labelledby={`${titleId}-${key}`}
            className={cx('py-3', tone ? `-mx-3 rounded-md px-3 ${tones[tone]}` : 'border-b border-line last:border-b-0')}
          >
            <div className="flex flex-wrap items-center gap-2">
              <span id={`${titleId}-${key}`} className="mr-auto min-w-0 font-semibold wrap-anywhere tabular-nums">
                {of('title').map((column) => (
                  <span key={column.key}>{column.cell(row)} </span>
                ))}
              </span>
              {of('aside').map((column) => (
                <span key={column.key} className="empty:hidden">
                  {column.cell(row)}
                </span>
              ))}
            </div>
            <dl className="mt-1.5 text-sm">
              {of('pair')
                .filter((column) => column.isEmpty?.(row) !== true)
                .map((column) => (
                  <div key={column.key} className="flex items-baseline justify-between gap-3">
                    <dt className="text-muted">{column.header}</dt>
                    <dd className={cx('text-right tabular-nums', column.strong && 'font-semibold')}>{column.cell(row)}</dd>
                  </div>
                ))}
            </dl>
            {detail && (
              <DetailDisclosure summary={detail.summary} rowName={detail.rowName(row)}>
                {() => detail.content(row)}
              </DetailDisclosure>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/**
 * Details of a table's rows: `summary` and `rowName` together name the button, `content` is
 * rendered when a row is opened.
 */
export type RowDetail<Row> = { summary: string; rowName: (row: Row) => string; content: (row: Row) => ReactNode }

type Key = string | number

/** The open rows; several can be open, to compare them. */
function useOpenRows(): [isOpen: (key: Key) => boolean, toggle: (key: Key) => void] {
  const [open, setOpen] = useState<ReadonlySet<Key>>(new Set())
  const toggle = (key: Key): void =>
    setOpen((before) => (before.has(key) ? new Set([...before].filter((one) => one !== key)) : new Set([...before, key])))
  return [(key) => open.has(key), toggle]
}

type DetailButtonProps = { label: string; controls: string; isOpen: boolean; onToggle: () => void }

/** Opens the details of a row. */
function DetailButton({ label, controls, isOpen, onToggle }: DetailButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      onClick={onToggle}
      className="relative -my-2 inline-grid size-9 place-items-center align-middle rounded-full text-brand after:absolute after:-inset-1 hover:bg-brand-soft"
    >
      <Icon name="chevronDown" size={18} className={cx('transition-transform', isOpen && 'rotate-180')} />
    </button>
  )
}

/** The table row with the details of the row above. */
function DetailRow({ id, columns, children }: { id: string; columns: number; children: ReactNode }) {
  return (
    <tr id={id}>
      <td colSpan={columns} className="border-b border-line bg-surface px-3 py-3">
        {children}
      </td>
    </tr>
  )
}

type DetailDisclosureProps = { summary: string; rowName: string; children: () => ReactNode }

/** The details in a card on phones. */
export function DetailDisclosure({ summary, rowName, children }: DetailDisclosureProps) {
  const [wasOpened, setWasOpened] = useState(false)
  return (
    <Disclosure
      summary={
        <span>
          {summary}
          <span className="sr-only"> {rowName}</span>
        </span>
      }
      onOpen={() => setWasOpened(true)}
    >
      {wasOpened && children()}
    </Disclosure>
  )
}

/** Screen only: paper is no wider than a tablet, but must contain every row. */
const narrowScreen = window.matchMedia('screen and (max-width: 47.99rem)')

function subscribe(listener: () => void): () => void {
  narrowScreen.addEventListener('change', listener)
  return () => narrowScreen.removeEventListener('change', listener)
}

/** True under 768 px: phones, where tables become cards. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrowScreen.matches)
