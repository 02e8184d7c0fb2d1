import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { Disclosure } from '#web/ui/disclosure.tsx'

type FiguresTableProps<Row> = {
  /** What the table holds. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
}

/** The figures behind a picture, for who would rather read than look: made when it is asked for. */
export function FiguresTable<Row>(props: FiguresTableProps<Row>) {
  const { t } = useLingui()
  const [wasOpened, setWasOpened] = useState(false)
  return (
    <Disclosure
      summary={
        <span>
          {t`Show as a table`}
          <span className="sr-only"> {props.label}</span>
        </span>
      }
      onOpen={() => setWasOpened(true)}
    >
      {wasOpened && <DataTable height="tranches" scrollsAsCards empty={t`No data found`} {...props} />}
    </Disclosure>
  )
}
