import { useLingui } from '@lingui/react/macro'
import type { Loan, ScheduleRow } from '#contract/loans.ts'
import { useLanguage } from '#web/i18n/use-language.ts'
import { ExplainedFigure } from '#web/loan/explained-figure.tsx'
import { formatDay } from '#web/ui/format.ts'
import type { RowDetail } from '#web/ui/row-detail.tsx'

/** How an instalment is computed, opened under its row. */
export function useScheduleDetail(loan: Loan): RowDetail<ScheduleRow> {
  const { t } = useLingui()
  const language = useLanguage()
  const rowName = (row: ScheduleRow): string => {
    const [number, due] = [row.number, formatDay(row.due_date, language)]
    return t`Instalment ${number}, due ${due}`
  }
  return {
    summary: t`How is this computed?`,
    rowName,
    content: (row) => <ExplainedFigure loan={loan} what={`row:${row.number}`} name={rowName(row)} />,
  }
}
