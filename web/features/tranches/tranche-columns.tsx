import { useLingui } from '@lingui/react/macro'
import type { Tranche } from '#contract/tranches.ts'
import { DayText } from '#web/loan/days.tsx'
import { Money } from '#web/loan/money.tsx'
import { TrancheStageBadge } from '#web/loan/status-badges.tsx'
import { ActionButton } from '#web/ui/action-button.tsx'
import type { PermissionAnswer } from '#web/ui/action-state.ts'
import { Badge } from '#web/ui/badge.tsx'
import { type Column, useIsNarrow } from '#web/ui/data-table.tsx'

/** The columns of the tranche table; on phones number, amount and status over date and release. */
export function useTrancheColumns(
  tranches: readonly Tranche[],
  permission: PermissionAnswer,
  onEdit: (tranche: Tranche) => void,
): readonly Column<Tranche>[] {
  const { t } = useLingui()
  const isNarrow = useIsNarrow()
  const getNumber = (tranche: Tranche): number => tranche.number ?? tranches.indexOf(tranche) + 1
  const columns: Column<Tranche>[] = [
    {
      key: 'number',
      header: t`Tranche`,
      phone: 'title',
      cell: (tranche) => {
        const number = getNumber(tranche)
        return isNarrow ? <span className="text-xs font-normal text-muted">{t`Tranche ${number}`}</span> : number
      },
    },
    {
      key: 'amount',
      header: t`Amount`,
      cell: (tranche) => <Money amount={tranche.tranche_amount} />,
      align: 'end',
      strong: true,
      phone: 'title',
    },
    { key: 'status', header: t`Status`, cell: (tranche) => <TrancheStageBadge stage={tranche.stage} />, phone: 'aside' },
    { key: 'release', header: t`Release`, phone: 'note', cell: (tranche) => <ReleaseBadge tranche={tranche} /> },
    { key: 'date', header: t`Date`, phone: 'figure', cell: (tranche) => <DayText day={tranche.date_of_disbursement} /> },
  ]
  if (!tranches.some((tranche) => tranche.is_editable)) return columns
  return [
    ...columns,
    {
      key: 'edit',
      header: t`Change`,
      align: 'end',
      phone: 'aside',
      cell: (tranche) =>
        tranche.is_editable && <EditButton number={getNumber(tranche)} permission={permission} onPress={() => onEdit(tranche)} />,
    },
  ]
}

function EditButton({ number, permission, onPress }: { number: number; permission: PermissionAnswer; onPress: () => void }) {
  const { t } = useLingui()
  const isNarrow = useIsNarrow()
  return (
    // The button above the table shows the same reason as text.
    <ActionButton
      variant="quiet"
      size={isNarrow ? 'row' : 'sm'}
      icon="edit"
      className="-mr-3 max-md:min-w-target"
      permission={permission}
      showReason={false}
      onClick={onPress}
    >
      <span className="max-md:sr-only">{t`Edit`}</span>
      <span className="sr-only"> {t`tranche ${number}`}</span>
    </ActionButton>
  )
}

/** Whether the money was released. */
function ReleaseBadge({ tranche }: { tranche: Tranche }) {
  const { t } = useLingui()
  switch (tranche.release_status) {
    case 'RELEASED':
      return <Badge tone="positive">{t`Released`}</Badge>
    case 'NOT_RELEASED':
      return <Badge icon="clock">{t`Not released yet`}</Badge>
    case 'UNKNOWN':
      return (
        <Badge icon={tranche.stage === 'rejected' ? 'close' : 'info'}>
          {tranche.stage === 'rejected' ? t`Will not be released` : t`Not known`}
        </Badge>
      )
  }
}
