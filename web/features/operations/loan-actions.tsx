import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { OperationKind } from '#domain/operations.ts'
import { useChargeText } from '#web/loan/explanation-step.tsx'
import { trancheStageText } from '#web/loan/status-badges.tsx'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { Card } from '#web/ui/card.tsx'
import { useLanguage } from '#web/i18n/i18n.ts'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { getModeText, kindTexts } from './kind-texts.ts'
import {
  findFailedRefund,
  findObstacle,
  listDecidableTranches,
  listReversiblePayments,
  listWaivableCharges,
  listWithdrawableResets,
  type Obstacle,
} from './loan-choices.ts'
import { OperationDialog } from './operation-dialog.tsx'
import type { FieldChoices } from './operation-field.tsx'
import { startAmount, type Values } from './operation-fields.ts'
import { getOperationPlace, readTypedOperation } from './operation-form.ts'
import type { LoanRecord } from './operations-queries.ts'
import { kindsOnLoanPage } from './queue-state.ts'

const obstacleText: Record<Obstacle, MessageDescriptor> = {
  no_charge: msg`No unpaid charge`,
  no_payment: msg`No payment to reverse`,
  no_tranche: msg`No disbursal request for this`,
  no_reset: msg`No announced rate`,
  no_credit: msg`There is no extra money`,
  no_short_foreclosure: msg`No foreclosure fell short`,
  closed: msg`The loan is closed`,
}

/** A button for each kind of operation; those that can do nothing now say why. */
export function LoanActions({ record, task }: { record: LoanRecord; task: OperationKind | undefined }) {
  const { t, i18n } = useLingui()
  const mayPropose = usePermission('operations:propose')
  const [kind, setKind] = useState(() => findOpenKind(record, task))
  const choices = useChoices(record, kind)
  useOpenedOnce(kind !== null && kind === task)
  const { first_name: first, last_name: last } = record.borrower.metadata
  const { lan } = record.loan
  return (
    <Card labelledBy="propose">
      <h2 id="propose">{t`Propose`}</h2>
      <p className="mb-3 text-sm text-muted">{t`You see the effect first. Another person approves it.`}</p>
      {record.is_own ? (
        <Banner icon="lock">{t`This is your own loan: another person has to act on it.`}</Banner>
      ) : (
        <ul className="grid gap-2 md:grid-cols-2 lg:grid-cols-3">
          {kindsOnLoanPage.map((one) => {
            const obstacle = findObstacle(one, record)
            return (
              <li key={one}>
                <ActionButton
                  variant="secondary"
                  size="sm"
                  block
                  permission={mayPropose}
                  disabledReason={obstacle && i18n._(obstacleText[obstacle])}
                  showReason={mayPropose === 'allowed'}
                  onClick={() => setKind(one)}
                >
                  {i18n._(kindTexts[one].name)}
                </ActionButton>
              </li>
            )
          })}
        </ul>
      )}
      {mayPropose === 'denied' && <p className="mt-3 text-sm text-muted">{t`You can view and decide, but not propose.`}</p>}
      {kind !== null && mayPropose !== 'denied' && !record.is_own && (
        <OperationDialog
          kind={kind}
          lan={lan}
          subject={`${first} ${last}, ${lan}`}
          values={getStartValues(kind, record, choices)}
          choices={choices}
          earliest={record.facts.sanctioned_on}
          onClose={() => setKind(null)}
        />
      )}
    </Card>
  )
}

/** The dialog that the address asks for, or in which something was typed before. */
function findOpenKind(record: LoanRecord, task: OperationKind | undefined): OperationKind | null {
  const wanted = task ?? kindsOnLoanPage.find((kind) => readTypedOperation(getOperationPlace(kind, record.loan.lan, {})) !== null)
  return wanted !== undefined && findObstacle(wanted, record) === null ? wanted : null
}

/** The address opened a dialog: going back to the loan later shall not open it again. */
function useOpenedOnce(isOpen: boolean): void {
  const navigate = useNavigate()
  useEffect(() => {
    if (isOpen) void navigate({ to: '.', search: {}, replace: true, resetScroll: false })
  }, [isOpen, navigate])
}

/** What a dialog begins with: the only choice, and all of the credit or of a failed refund. */
function getStartValues(kind: OperationKind, record: LoanRecord, choices: FieldChoices): Values {
  const { loan } = record
  const only = (options: FieldChoices['charge']): string => (options.length === 1 ? (options[0]?.value ?? '') : '')
  switch (kind) {
    case 'charge_waive':
      return { charge_id: only(choices.charge) }
    case 'tranche_approve':
    case 'tranche_reject':
    case 'tranche_release':
      return { partner_tranche_id: only(choices.tranche) }
    case 'rate_reset_withdraw':
      return { reset_id: only(choices.reset) }
    case 'credit_refund':
      return { amount: startAmount(loan.credit_amount) }
    case 'credit_return': {
      const failed = findFailedRefund(record)
      return { amount: startAmount(loan.credit_amount === 0n && failed ? failed.amount : loan.credit_amount) }
    }
    default:
      return {}
  }
}

/** The charges, payments and disbursals that a dialog offers. */
function useChoices(record: LoanRecord, kind: OperationKind | null): FieldChoices {
  const { i18n } = useLingui()
  const language = useLanguage()
  const getChargeText = useChargeText()
  return {
    charge: listWaivableCharges(record).map(({ charge_id: value, charge_type: type, pending, date }) => ({
      value,
      title: `${getChargeText(type)}, ${formatMoney(pending)}`,
      detail: formatDay(date, language),
    })),
    payment: listReversiblePayments(record).map(({ payment_id: value, mode, reference, amount, date }) => ({
      value,
      title: `${formatMoney(amount)}, ${formatDay(date, language)}`,
      detail: `${getModeText(i18n, mode)} ${reference}`,
    })),
    reset: listWithdrawableResets(record).map(({ id: value, from, to, effective_on: day, instalment }) => ({
      value,
      title: `${from}% → ${to}%, ${formatDay(day, language)}`,
      detail: formatMoney(instalment),
    })),
    tranche: listDecidableTranches(kind ?? 'tranche_approve', record).map((tranche) => ({
      value: tranche.partner_tranche_id,
      title: `${formatMoney(tranche.tranche_amount)}, ${formatDay(tranche.date_of_disbursement, language)}`,
      detail: `${i18n._(trancheStageText[tranche.stage])}, ${tranche.partner_tranche_id}`,
    })),
  }
}
