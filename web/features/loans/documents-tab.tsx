import { Trans, useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import { paths } from '#web/paths.ts'
import { Leaf, LeafHead } from '#web/ui/leaf.tsx'
import { TextLink } from '#web/ui/links.tsx'

/** What holds of documents until they can be uploaded and generated here. */
export function DocumentsTab({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  return (
    <Leaf labelledBy="documents">
      <LeafHead id="documents" title={t`Documents`} />
      {loan.lead_id === null && <p className="mb-2">{t`Lead ID not available for document upload`}</p>}
      <p className="text-muted">
        <Trans>
          For a statement or a letter about this loan, <TextLink to={paths.customerSupport}>contact customer support</TextLink>.
        </Trans>
      </p>
    </Leaf>
  )
}
