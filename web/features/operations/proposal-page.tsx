import { useLingui } from '@lingui/react/macro'
import { Suspense, useState, type ComponentType } from 'react'
import type { Notice } from '#contract/notices.ts'
import type { Proposal } from '#contract/operations.ts'
import { actOfOperation, type OperationAct } from '#contract/staff-access.ts'
import { useLoad } from '#web/app/loading/use-load.ts'
import { usePageTitle } from '#web/app/page-title.ts'
import { getOperationsLoanPath, paths } from '#web/app/paths.ts'
import { InstantText } from '#web/loan/days.tsx'
import { useSession } from '#web/session/session.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { TextLink } from '#web/ui/links.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { DecisionCard } from './decision-card.tsx'
import { isDecidedByOther } from './decision-state.ts'
import { isLoanFigures, isUnannouncedReset } from './effects.ts'
import { FactLine } from './fact-line.tsx'
import { InputFacts } from './input-facts.tsx'
import { kindTexts } from './kind-texts.ts'
import { LoadedRecord } from './loaded-record.tsx'
import { proposalQuery } from './operations-queries.ts'
import { ProposalOutcome } from './proposal-outcome.tsx'
import { ProposalBadge } from './proposal-badge.tsx'
import { PreviewView } from './preview-view.tsx'
import { useSearchKey } from './use-search-key.ts'

/** What other features show on the page of a proposal. */
export type ProposalParts = {
  NoticeText: ComponentType<Pick<Notice, 'kind' | 'amount' | 'date' | 'subject'>>
  StaffActText: ComponentType<{ act: OperationAct }>
}

/** One proposal: what is asked, its effect, what the borrower will read, and the decision. */
export function ProposalPage({ id, ...parts }: ProposalParts & { id: string }) {
  const { t } = useLingui()
  const proposal = useLoad(proposalQuery(id))
  usePageTitle(t`Proposal`)
  useSearchKey()
  return <LoadedRecord query={proposal}>{(loaded) => <ProposalView proposal={loaded} {...parts} />}</LoadedRecord>
}

/** The buttons of the decision are gone, and the focus with them. */
const takeFocus = (outcome: HTMLElement | null): void => outcome?.focus()

function ProposalView({ proposal, ...parts }: ProposalParts & { proposal: Proposal }) {
  const { t, i18n } = useLingui()
  // A newer preview from the server replaces the stored one, which the approval is not about then.
  const [renewed, setRenewed] = useState<Proposal['preview'] | null>(null)
  const [isDecidedElsewhere, setDecidedElsewhere] = useState(false)
  const [isLinkCancelled, setLinkCancelled] = useState(false)
  const { claims } = useSession()
  const isOpen = proposal.state === 'proposed'
  const [wasOpen] = useState(isOpen)
  const outcome = isOpen ? 'open' : proposal.state === 'executed' ? 'executed' : 'closed'
  const preview = isOpen ? (renewed ?? proposal.preview) : proposal.preview
  return (
    <>
      <p className="mb-2 text-sm">
        <TextLink to={paths.operations}>{t`Operations`}</TextLink>
      </p>
      <div className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <h1>{i18n._(kindTexts[proposal.kind].name)}</h1>
        <ProposalBadge state={proposal.state} size="lg" />
      </div>
      <div className="space-y-4">
        {isDecidedElsewhere && isDecidedByOther(proposal, claims?.sub) && (
          <Banner tone="caution" live="alert">
            {t`Somebody else decided this while you had it open. Your own decision had no effect.`}
          </Banner>
        )}
        {isLinkCancelled && (
          <Banner tone="caution" live="alert">
            {t`Your approval cancelled the borrower’s payment link and was refused after that. The borrower can start a new payment.`}
          </Banner>
        )}
        {!isOpen && (
          <div ref={wasOpen ? takeFocus : undefined} tabIndex={-1} className="rounded-md">
            <ProposalOutcome proposal={proposal} />
          </div>
        )}
        {/* On phones in the order of reading: what is asked, its effect, then the decision. */}
        <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_auto_1fr] lg:items-start">
          <RequestCard proposal={proposal} />
          <Card labelledBy="effect" className="min-w-0 lg:col-start-1 lg:row-span-3 lg:row-start-1">
            <CardHead
              id="effect"
              title={{ open: t`What changes`, executed: t`What changed`, closed: t`What would have changed` }[outcome]}
            />
            <PreviewView key={preview.preview_hash} preview={preview} outcome={outcome} />
          </Card>
          {isOpen && (
            <DecisionCard
              proposal={proposal}
              onRenewed={setRenewed}
              onDecidedElsewhere={() => setDecidedElsewhere(true)}
              onLinkCancelled={setLinkCancelled}
            />
          )}
          <BorrowerCard proposal={proposal} {...parts} />
        </div>
      </div>
    </>
  )
}

/** What is asked, of whom, by whom and why. */
function RequestCard({ proposal }: { proposal: Proposal }) {
  const { t } = useLingui()
  const { lan, borrower_name: name, maker, is_own: isOwn, reason, proposed_at: at, expires_at: until } = proposal
  return (
    <Card labelledBy="request">
      <h2 id="request" className="mb-2">{t`What is proposed`}</h2>
      <dl className="space-y-2 text-sm">
        {lan !== null && (
          <FactLine label={t`Borrower`}>
            {name} <TextLink to={getOperationsLoanPath(lan)}>{lan}</TextLink>
          </FactLine>
        )}
        <InputFacts proposal={proposal} />
        <FactLine label={t`Reason`}>{reason}</FactLine>
        <FactLine label={t`Proposed by`}>
          {isOwn ? t`you` : maker.name}, <InstantText instant={at} />
        </FactLine>
        {proposal.state === 'proposed' && (
          <FactLine label={t`Expires`}>
            <InstantText instant={until} />
          </FactLine>
        )}
      </dl>
    </Card>
  )
}

/** What the borrower will read, or can read, about it. */
function BorrowerCard({ proposal, NoticeText, StaffActText }: ProposalParts & { proposal: Proposal }) {
  const { t } = useLingui()
  const { kind, state, reason, borrower_name: name, amount, preview } = proposal
  const { before, after } = preview
  const notice = isUnannouncedReset(before) ? null : kindTexts[kind].notice
  const hasEffect = state === 'executed' || state === 'proposed'
  const date = isLoanFigures(after) ? (after.tranche?.date ?? after.rate_reset?.effective_on ?? null) : null
  return (
    <Card labelledBy="borrower">
      <h2 id="borrower" className="mb-2">
        {state === 'proposed' ? t`What the borrower will see` : t`What the borrower sees`}
      </h2>
      {hasEffect && name !== null ? (
        <Suspense fallback={<Skeleton className="h-24" />}>
          <dl className="space-y-2 text-sm">
            {notice !== null && (
              <FactLine label={t`Notice`}>
                {/* Credit of several payments is returned by several refunds, each with a notice. */}
                <NoticeText kind={notice} amount={kind === 'credit_refund' ? null : amount} date={date} subject={null} />
              </FactLine>
            )}
            {isLoanFigures(before) && isLoanFigures(after) && before.loan_status !== 'CLOSED' && after.loan_status === 'CLOSED' && (
              <FactLine label={t`Notice`}>
                <NoticeText kind="loan_closed" amount={null} date={null} subject={null} />
              </FactLine>
            )}
            <FactLine label={t`In the profile, under staff access`}>
              {t`Operations team`}: <StaffActText act={actOfOperation[kind]} />
              <span className="block">{reason}</span>
            </FactLine>
          </dl>
        </Suspense>
      ) : (
        <p className="text-sm text-muted">
          {hasEffect && kind === 'rate_reset_run'
            ? t`Every borrower whose rate changes is notified and can choose until the day before.`
            : t`Nothing.`}
        </p>
      )}
    </Card>
  )
}
