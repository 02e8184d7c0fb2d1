import type { ReactNode } from 'react'
import { toDay } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { ApiError, mapStatusToFailureKind } from '#web/api/api-error.ts'
import { FailurePanel } from '#web/app/loading/failure-panel.tsx'
import { DayText, InstantText } from '#web/loan/days.tsx'
import { Money, SumTable } from '#web/loan/money.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { BarChart } from '#web/ui/bar-chart.tsx'
import { Spinner } from '#web/ui/button.tsx'
import { EmptyState, Card, CardHead } from '#web/ui/card.tsx'
import { type Column, DataTable } from '#web/ui/data-table.tsx'
import { Disclosure } from '#web/ui/disclosure.tsx'
import { Facts } from '#web/ui/facts.tsx'
import { LineChart } from '#web/ui/line-chart.tsx'
import { LoadingText, Skeleton } from '#web/ui/skeleton.tsx'
import { Trail } from '#web/ui/trail.tsx'
import { Part, Row } from './part.tsx'

/** Money and dates, cards, tables, charts, and the empty and failed states. */
export function ContentStates() {
  return (
    <>
      <Part title="Money and dates">
        <Row name="Money">
          {(['inherit', 'sm', 'md', 'hero'] as const).map((size) => (
            <Money key={size} amount={paise(38_649_547n)} size={size} />
          ))}
        </Row>
        <Row name="Days and moments">
          <DayText day={toDay('2026-12-05')} />
          <InstantText instant={new Date('2026-12-05T05:30:00Z')} />
        </Row>
      </Part>
      <Part title="Leaves">
        <Card label="Card">
          <CardHead title="A leaf" subtitle="One subject with a heading" />
          <Facts
            facts={[
              { label: 'EMI', value: <Money amount={paise(805_900n)} />, note: 'on the 5th of each month' },
              { label: 'Interest rate', value: '11.25%', note: 'a year', explain: <p>How it is computed.</p> },
            ]}
          />
          <Disclosure summary="How is this computed?">
            <SumTable
              caption="Dues"
              lines={[{ label: 'Interest', amount: paise(362_340n) }]}
              total={{ label: 'Dues', amount: paise(362_340n) }}
            />
          </Disclosure>
        </Card>
        {(['info', 'positive', 'caution', 'danger'] as const).map((tone) => (
          <Banner key={tone} tone={tone}>
            A banner: about the whole page or leaf, it stays.
          </Banner>
        ))}
      </Part>
      <Tables />
      <Pictures />
      <Part title="Nothing, failure, loading">
        <EmptyState title="No Loans Found">When you take a loan, it will appear here.</EmptyState>
        {[401, 403, 404, 500].map((status) => (
          <FailurePanel key={status} error={new ApiError({ kind: mapStatusToFailureKind(status), status })} onRetry={() => {}} />
        ))}
        <FailurePanel error={new ApiError({ kind: 'network_error', network: 'offline' })} onRetry={() => {}} isRetrying />
        <Card label="Loading">
          <LoadingText>Loading loans...</LoadingText>
          <Skeleton className="h-24" />
          <Spinner />
        </Card>
      </Part>
    </>
  )
}

type Line = { number: number; tone: 'next' | 'caution' | 'danger' | null }
const lines: readonly Line[] = [
  { number: 1, tone: null },
  { number: 2, tone: 'danger' },
  { number: 3, tone: 'next' },
  ...Array.from({ length: 9 }, (_, index): Line => ({ number: index + 4, tone: null })),
]
const lineColumns: readonly Column<Line>[] = [
  { key: 'number', header: 'No.', phone: 'title', cell: (line): ReactNode => line.number },
  { key: 'amount', header: 'Instalment', align: 'end', strong: true, cell: (): ReactNode => <Money amount={paise(805_900n)} /> },
]

function Tables() {
  return (
    <Part title="Tables">
      <Card label="Rows in a leaf">
        <DataTable
          label="Rows"
          columns={lineColumns}
          rows={lines}
          rowKey={(line) => line.number}
          rowTone={(line) => line.tone}
          height="tranches"
          empty={null}
        />
      </Card>
      <Card label="No rows in a leaf">
        <DataTable label="No rows" columns={lineColumns} rows={[]} rowKey={(line) => line.number} empty="No data found" />
      </Card>
    </Part>
  )
}

const kinds = ['paid', 'paid', 'caution', 'left', 'left', 'left', 'left', 'left'] as const

function Pictures() {
  const course = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => ({ x: (from + index) / 8, amount: BigInt(8 - from - index) * 50_000_00n }))
  return (
    <Part title="Pictures">
      <BarChart
        bars={kinds.map((kind, index) => ({ kind, height: 1 - index / 8 }))}
        label="Three of eight instalments"
        mark={{ after: 3, text: 'Today' }}
      />
      <LineChart
        label="Two courses"
        lines={[
          { points: course(0, 3), look: 'solid', name: 'Balance so far' },
          { points: course(3, 8), look: 'dashed', name: 'If you pay on time' },
          { points: course(0, 8).map(({ x, amount }) => ({ x, amount: amount + 40_000_00n })), look: 'compare', name: 'Without it' },
        ]}
        axis={['Apr 2025', 'Mar 2032']}
      />
      <Trail
        label="Steps"
        steps={[
          { state: 'done', title: 'Asked', detail: <DayText day={toDay('2026-12-05')} /> },
          { state: 'now', title: 'Being checked' },
          { state: 'todo', title: 'Applied' },
        ]}
      />
    </Part>
  )
}
