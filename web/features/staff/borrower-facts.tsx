import { useLingui } from '@lingui/react/macro'
import type { User } from '#contract/auth.ts'
import { formatPhone } from '#web/ui/format.ts'

/** What tells two borrowers of one name apart. */
export function BorrowerFacts({ borrower }: { borrower: User }) {
  const { t } = useLingui()
  const facts = [
    { label: t`Phone`, value: borrower.phone && formatPhone(borrower.phone) },
    { label: t`PAN`, value: borrower.pan },
  ]
  return (
    <dl className="my-4 grid grid-cols-2 gap-4">
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt className="text-sm text-muted">{label}</dt>
          <dd className="font-semibold wrap-anywhere tabular-nums">{value || t`Not given`}</dd>
        </div>
      ))}
    </dl>
  )
}
