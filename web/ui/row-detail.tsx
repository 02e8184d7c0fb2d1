import { useState, type ReactNode } from 'react'
import { cx } from './class-names.ts'
import { Disclosure } from './disclosure.tsx'
import { Icon } from './icon.tsx'

/** More about the rows of a table: `summary` and `rowName` together name the way to it, `content` is made when a row is opened. */
export type RowDetail<Row> = { summary: string; rowName: (row: Row) => string; content: (row: Row) => ReactNode }

type Key = string | number

/** Which rows are open; several may be, to be compared. */
export function useOpenRows(): [isOpen: (key: Key) => boolean, toggle: (key: Key) => void] {
  const [open, setOpen] = useState<ReadonlySet<Key>>(new Set())
  const toggle = (key: Key): void =>
    setOpen((before) => (before.has(key) ? new Set([...before].filter((one) => one !== key)) : new Set([...before, key])))
  return [(key) => open.has(key), toggle]
}

type DetailButtonProps = { label: string; controls: string; isOpen: boolean; onToggle: () => void }

/** Opens a row of a table. */
export function DetailButton({ label, controls, isOpen, onToggle }: DetailButtonProps) {
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

/** The row under a row that was opened. */
export function DetailRow({ id, columns, children }: { id: string; columns: number; children: ReactNode }) {
  return (
    <tr id={id}>
      <td colSpan={columns} className="border-b border-line bg-surface px-3 py-3">
        {children}
      </td>
    </tr>
  )
}

type DetailDisclosureProps = { summary: string; rowName: string; children: () => ReactNode }

/** The same in a card of the phone. */
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
