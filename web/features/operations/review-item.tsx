import { Trans, useLingui } from '@lingui/react/macro'
import { getOperationsLoanPath, getProposalPath } from '#web/app/paths.ts'
import { DayText, InstantText } from '#web/loan/days.tsx'
import { ActionButton } from '#web/ui/action-button.tsx'
import type { PermissionAnswer } from '#web/ui/action-state.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Disclosure } from '#web/ui/disclosure.tsx'
import { formatCode, formatMoney } from '#web/ui/format.ts'
import { ButtonLink, TextLink } from '#web/ui/links.tsx'
import { paise } from '#domain/money.ts'
import { FactLine } from './fact-line.tsx'
import { kindTexts } from './kind-texts.ts'
import type { Review } from './operations-queries.ts'
import { AgeText } from './proposal-badge.tsx'
import { reviewText } from './review-texts.ts'

type ReviewItemProps = { review: Review; mayPropose: PermissionAnswer; onResolve: () => void }

/** One difference: what it is and means, its facts, what may be done, and resolving it. */
export function ReviewItem({ review, mayPropose, onResolve }: ReviewItemProps) {
  const { t, i18n } = useLingui()
  const { kind, lan, borrower_name: name, found_at: foundAt, due_on: dueOn, state, resolution, resolved_at: at, resolved_by: by } = review
  const text = reviewText[kind]
  const title = i18n._(text.title)
  return (
    <li aria-label={title} className="border-b border-line py-4 last:border-b-0 last:pb-0">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h2 className="text-base">{title}</h2>
        <span className="flex flex-wrap items-center gap-2 text-sm text-muted">
          {dueOn !== null && state === 'open' && (
            <Badge tone="caution">
              {t`until`} <DayText day={dueOn} />
            </Badge>
          )}
          {state === 'open' ? <AgeText from={foundAt} /> : <Badge tone="positive">{t`Resolved`}</Badge>}
        </span>
      </div>
      <p className="text-sm">
        {lan === null ? (
          t`The loan is not known.`
        ) : (
          <TextLink to={getOperationsLoanPath(lan)}>{[name, lan].filter(Boolean).join(', ')}</TextLink>
        )}
      </p>
      <p className="mt-1 max-w-[60ch] text-sm">{i18n._(text.meaning)}</p>
      {state === 'open' ? (
        <>
          <p className="mt-1 max-w-[60ch] text-sm">
            <b className="font-semibold">{t`What to do:`}</b> {i18n._(text.action)}
          </p>
          <Facts review={review} />
          <Actions review={review} mayPropose={mayPropose} onResolve={onResolve} />
        </>
      ) : (
        <>
          <p className="mt-1 text-sm">
            <b className="font-semibold">{t`Resolution`}:</b> {resolution}
            <span className="text-muted">
              {' · '}
              {by ?? t`the portal`}
              {at && (
                <>
                  , <InstantText instant={at} />
                </>
              )}
            </span>
          </p>
          <Facts review={review} />
        </>
      )}
    </li>
  )
}

function Facts({ review: { detail, link_reference: reference, found_at: foundAt } }: { review: Review }) {
  const { t } = useLingui()
  return (
    <Disclosure summary={t`Facts`}>
      <dl className="grid grid-cols-2 gap-3 text-sm md:grid-cols-4">
        <FactLine label={t`Found`}>
          <InstantText instant={foundAt} />
        </FactLine>
        {reference !== null && <FactLine label={t`Reference of the link`}>{reference}</FactLine>}
        {detail.map(({ name, value }) => (
          <FactLine key={name} label={formatCode(name.replace(/_paise$/, ''))}>
            {name.endsWith('_paise') && /^-?\d+$/.test(value) ? formatMoney(paise(BigInt(value))) : value}
          </FactLine>
        ))}
      </dl>
    </Disclosure>
  )
}

/** The kinds of operations that can help, and resolving, unless that is proposed already. */
function Actions({ review: { lan, remedies, open_proposal_id: proposalId }, mayPropose, onResolve }: ReviewItemProps) {
  const { t, i18n } = useLingui()
  return (
    <div className="mt-2 flex flex-wrap items-start gap-2">
      {lan !== null &&
        remedies.map((kind) => (
          <ButtonLink key={kind} to={getOperationsLoanPath(lan)} search={{ do: kind }} variant="secondary" size="sm">
            {i18n._(kindTexts[kind].name)}
          </ButtonLink>
        ))}
      {proposalId === null ? (
        <ActionButton variant="secondary" size="sm" permission={mayPropose} onClick={onResolve}>
          {t`Resolve`}
        </ActionButton>
      ) : (
        <p className="text-sm">
          <Trans>
            <TextLink to={getProposalPath(proposalId)}>A proposal to resolve it</TextLink> waits for approval.
          </Trans>
        </p>
      )}
    </div>
  )
}
