import { Fragment, useId } from 'react'
import { cx } from './class-names.ts'
import type { Column, TableProps } from './data-table.tsx'
import { Icon } from './icon.tsx'

/** A row's background, in tables and on phones. */
export const rowTones = { next: 'bg-brand-soft', caution: 'bg-caution-soft', danger: 'bg-danger-soft' }

/**
 * The rows of a table on phones. With columns on the second line, a row has two lines and opens to
 * the rest; else it is a card with all labels and values.
 */
export function PhoneRows<Row>(props: TableProps<Row>) {
  const { label, columns, rows, rowKey, rowTone, scrollsAsCards = false } = props
  const id = useId()
  const folds = columns.some(({ phone }) => phone === 'figure' || phone === 'note')
  return (
    <ul aria-label={label} className={scrollsAsCards ? 'pr-3' : 'border-t border-rule'}>
      {rows.map((row) => {
        const tone = rowTone?.(row) ?? null
        const key = rowKey(row)
        return (
          <li
            key={key}
            aria-labelledby={`${id}-${key}`}
            className={cx(
              tone ? `-mx-3 rounded-md px-3 ${rowTones[tone]}` : 'border-b border-line last:border-b-0',
              'tabular-nums',
              !folds && 'py-3',
            )}
          >
            {folds ? <TwoLines {...props} row={row} id={`${id}-${key}`} /> : <AllValues {...props} row={row} id={`${id}-${key}`} />}
          </li>
        )
      })}
    </ul>
  )
}

type RowProps<Row> = TableProps<Row> & { row: Row; id: string }

/** Two lines, at most 64 px together; a press anywhere opens the rest below them. */
function TwoLines<Row>({ columns, row, rowKey, detail, id, isOpen, onToggle }: RowProps<Row>) {
  const key = rowKey(row)
  const open = detail !== undefined && isOpen(key)
  const pairs = listColumns(columns, 'pair')
  return (
    <>
      <div className="relative flex items-center gap-1 py-1.5 text-sm">
        <div className="min-w-0 flex-1">
          <div className="flex items-center justify-between gap-2">
            <span id={id} className={cx('min-w-0 font-semibold', open ? 'wrap-anywhere' : 'truncate')}>
              <Cells columns={columns} place="title" row={row} />
            </span>
            <Cells columns={columns} place="aside" row={row} />
          </div>
          <div className="flex items-baseline justify-between gap-2">
            <Cells columns={columns} place="figure" row={row} />
            <span className="min-w-0 text-right text-muted">
              <Cells columns={columns} place="note" row={row} />
            </span>
          </div>
        </div>
        {detail && (
          <button
            type="button"
            aria-label={`${detail.summary} ${detail.rowName(row)}`}
            aria-expanded={open}
            aria-controls={open ? `${id}-rest` : undefined}
            onClick={() => onToggle(key)}
            className="-mr-3 grid size-target flex-none place-items-center text-brand outline-offset-[-3px] after:absolute after:inset-y-0 after:-right-3 after:left-0"
          >
            <Icon name="chevronDown" size={18} className={cx('transition-transform', open && 'rotate-180')} />
          </button>
        )}
      </div>
      {open && (
        <div id={`${id}-rest`} className="pt-1 pb-4">
          {pairs.length > 0 && <Pairs columns={pairs} row={row} className="mb-3" />}
          {detail.content(row)}
        </div>
      )}
    </>
  )
}

function AllValues<Row>({ columns, row, id }: RowProps<Row>) {
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <span id={id} className="mr-auto min-w-0 flex-1 basis-24 font-semibold wrap-anywhere">
          <Cells columns={columns} place="title" row={row} />
        </span>
        <Cells columns={columns} place="aside" row={row} />
      </div>
      <Pairs columns={listColumns(columns, 'pair')} row={row} className="mt-1.5" />
    </>
  )
}

type Place = NonNullable<Column<never>['phone']>

const listColumns = <Row,>(columns: readonly Column<Row>[], place: Place) => columns.filter((column) => (column.phone ?? 'pair') === place)

function Cells<Row>({ columns, place, row }: { columns: readonly Column<Row>[]; place: Place; row: Row }) {
  return listColumns(columns, place).map((column) =>
    place === 'aside' ? (
      <span key={column.key} className="empty:hidden">
        {column.cell(row)}
      </span>
    ) : (
      <Fragment key={column.key}>
        {place === 'note' && column.names === true && `${column.header} `}
        {column.strong ? <b className="font-semibold">{column.cell(row)}</b> : column.cell(row)}{' '}
      </Fragment>
    ),
  )
}

function Pairs<Row>({ columns, row, className }: { columns: readonly Column<Row>[]; row: Row; className: string }) {
  return (
    <dl className={`text-sm ${className}`}>
      {columns
        .filter((column) => column.isEmpty?.(row) !== true)
        .map((column) => (
          <div key={column.key} className="flex items-baseline justify-between gap-3">
            <dt className="text-muted">{column.header}</dt>
            <dd className={cx('text-right', column.strong && 'font-semibold')}>{column.cell(row)}</dd>
          </div>
        ))}
    </dl>
  )
}
