import { useLingui } from '@lingui/react/macro'
import { usePageTitle } from '#web/page-title.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { Icon, type IconName } from '#web/ui/icon.tsx'
import { Leaf } from '#web/ui/leaf.tsx'
import { linkClass } from '#web/ui/links.tsx'

/** How to reach the lender. */
export function SupportPage() {
  const { t } = useLingui()
  usePageTitle(t`Customer support`)
  const { support, brand } = getPortalConfig()
  return (
    <>
      <h1>{t`Customer support`}</h1>
      <p className="mt-2 max-w-[60ch]">
        {t`Questions about your loan, a payment or a document go to your lender. Have your loan number at hand. We never ask for your code by phone or message.`}
      </p>
      {(support.phone || support.email) && (
        <Leaf labelledBy="contact" className="mt-5 max-w-[36rem]">
          <h2 id="contact" className="mb-3">
            {brand.lender}
          </h2>
          <dl className="border-t border-rule">
            {support.phone && (
              <Way icon="phone" label={t`Phone`} text={support.phone} href={`tel:${support.phone.replace(/[^+\d]/g, '')}`} />
            )}
            {support.email && <Way icon="mail" label={t`Email`} text={support.email} href={`mailto:${support.email}`} />}
            {support.hours && <Way icon="clock" label={t`Hours`} text={support.hours} />}
          </dl>
        </Leaf>
      )}
    </>
  )
}

function Way({ icon, label, text, href }: { icon: IconName; label: string; text: string; href?: string }) {
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 border-b border-line py-2 last:border-b-0 last:pb-0">
      <Icon name={icon} className="row-span-2 text-muted" />
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="flex min-h-9 items-center font-semibold wrap-anywhere">
        {href ? (
          <a href={href} className={`${linkClass} hit-area`}>
            {text}
          </a>
        ) : (
          text
        )}
      </dd>
    </div>
  )
}
