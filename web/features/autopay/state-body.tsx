import type { AutopayCardProps } from '#web/loan/autopay.ts'
import { findDebitObstacle, isNextDebitShown, type AutopayState } from './autopay-state.ts'
import { MandateActions } from './mandate-actions.tsx'
import { MandateFacts } from './mandate-facts.tsx'
import { Announced, InProgress, NextDebit } from './next-debit.tsx'
import { Offered } from './offered.tsx'
import { Paused } from './paused.tsx'
import { EndingMandate, WaitingMandate } from './waiting-mandate.tsx'

/** The content of the card in each state of autopay. */
export function StateBody({ state, loan, hasOpenLink }: { state: AutopayState } & AutopayCardProps) {
  switch (state.kind) {
    case 'none':
      return null
    case 'offered':
    case 'ended':
      return <Offered loan={loan} state={state} />
    case 'waiting':
      return <WaitingMandate key={state.mandate.id} loan={loan} mandate={state.mandate} />
    case 'ending':
      return <EndingMandate loan={loan} mandate={state.mandate} />
    case 'paused':
      return <Paused mandate={state.mandate} />
    case 'active':
      return (
        <>
          {isNextDebitShown(loan, state) && <NextDebit loan={loan} debit={state.debit} />}
          <MandateFacts mandate={state.mandate} />
          <MandateActions mandate={state.mandate} />
        </>
      )
    case 'announced':
      return (
        <>
          <Announced loan={loan} debit={state.debit} obstacle={findDebitObstacle(loan, hasOpenLink)} />
          <MandateFacts mandate={state.mandate} />
          <MandateActions mandate={state.mandate} />
        </>
      )
    case 'in_progress':
      return (
        <>
          <InProgress debit={state.debit} />
          {state.mandate && <MandateFacts mandate={state.mandate} />}
          {state.mandate && (state.mandate.status === 'active' || state.mandate.status === 'paused') && (
            <MandateActions mandate={state.mandate} />
          )}
        </>
      )
  }
}
