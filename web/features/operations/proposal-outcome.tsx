import { Trans, useLingui } from '@lingui/react/macro'
import type { Proposal } from '#contract/operations.ts'
import { InstantText } from '#web/loan/days.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { findCauseText } from './refusal-texts.ts'

/** What became of a proposal, by whom, when and why; nothing while it is open. */
export function ProposalOutcome({ proposal }: { proposal: Proposal }) {
  const { t, i18n } = useLingui()
  const { state, checker, maker, decided_at: at, expires_at: expiresAt } = proposal
  const cause = findCauseText(proposal.decision_cause)
  const reason = cause === null ? proposal.decision_reason : i18n._(cause)
  const person = checker?.name ?? maker.name
  const when = <InstantText instant={at ?? expiresAt} />
  switch (state) {
    case 'proposed':
      return null
    case 'executed':
      return (
        <Banner tone="positive">
          {checker === null ? (
            <Trans>
              Executed on {when} without a second person, because the amount is below the limit of this kind. Proposed by {person}.
            </Trans>
          ) : (
            <Trans>
              Approved by {person} and executed on {when}.
            </Trans>
          )}
        </Banner>
      )
    case 'rejected':
      return (
        <Banner tone="danger" icon="close">
          <Trans>
            Rejected by {person} on {when}.
          </Trans>{' '}
          {reason}
        </Banner>
      )
    case 'withdrawn':
      return (
        <Banner icon="close">
          <Trans>Withdrawn on {when}.</Trans> {reason}
        </Banner>
      )
    case 'expired':
      return (
        <Banner icon="clock">
          <Trans>Expired on {when}: nobody decided within 72 hours.</Trans> {t`If it is still needed, propose it again.`}
        </Banner>
      )
    case 'failed':
      return (
        <Banner tone="danger">
          {checker === null ? (
            <Trans>It was no longer possible. Nothing was changed.</Trans>
          ) : (
            <Trans>Approved by {person}, but it was no longer possible. Nothing was changed.</Trans>
          )}{' '}
          {reason}
        </Banner>
      )
  }
}
