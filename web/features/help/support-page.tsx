import { useLingui } from '@lingui/react/macro'
import { usePageTitle } from '#web/app/page-title.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { Leaf } from '#web/ui/leaf.tsx'
import { ContactWays } from './contact-ways.tsx'
import { Complaint } from './complaint.tsx'

/** How to reach the lender, and where to go with a complaint. */
export function SupportPage() {
  const { t } = useLingui()
  usePageTitle(t`Customer support`)
  const { support, brand } = getPortalConfig()
  return (
    <>
      <h1>{t`Customer support`}</h1>
      <p className="mt-2 mb-5 max-w-[60ch]">
        {t`Questions about your loan, a payment or a document go to your lender. Have your loan number at hand. We never ask for your code by phone or message.`}
      </p>
      <div className="grid items-start gap-4 md:gap-5 lg:grid-cols-2">
        {(support.phone || support.email) && (
          <Leaf labelledBy="contact">
            <h2 id="contact" className="mb-3">
              {brand.lender}
            </h2>
            <ContactWays {...support} />
          </Leaf>
        )}
        <Complaint />
      </div>
    </>
  )
}
