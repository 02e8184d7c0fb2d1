import { useLingui } from '@lingui/react/macro'
import { getPortalConfig } from '#web/portal-config.ts'
import { cx, linkClass } from '#web/ui/class-names.ts'

/** The logo mark: a line with four bars below it, each shorter than the last. */
export function BrandMark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 28 28" fill="currentColor" aria-hidden="true" focusable="false">
      <path d="M1 3h26v3.5H1zM3.5 6.5h4V26h-4zM10 6.5h4v13.8h-4zM16.5 6.5h4v8.6h-4zM23 6.5h2.5v3.9H23z" />
    </svg>
  )
}

/** The logo: the lender's own, the drawn one of Kist, or the brand's name as text. */
export function Wordmark({ height = 30 }: { height?: number }) {
  const { name, logo } = getPortalConfig().brand
  if (logo) return <img src={logo} alt={name} className={cx('block w-auto', height >= 30 ? 'h-7.5' : 'h-6')} />
  if (name.toLowerCase() !== 'kist') {
    return (
      <span className="inline-flex items-center gap-2 text-lg font-semibold">
        <BrandMark size={height} />
        {name}
      </span>
    )
  }
  return (
    <svg
      role="img"
      aria-label={name}
      height={height}
      width={height * 2.8}
      viewBox="0 0 84 30"
      fill="none"
      stroke="currentColor"
      strokeWidth="3.4"
    >
      <g fill="currentColor" stroke="none">
        <path d="M0 3h26.5v3.4H0z" />
        <path d="M2 6.4h4.2V27H2zM8.6 6.4h4.2v14.4H8.6zM15.2 6.4h4.2v8.8h-4.2zM21.8 6.4H26v3.9h-4.2z" />
      </g>
      <path d="M36.2 4.6V27M48 12.2l-10.2 8.3M41.4 17.9L48.6 27" />
      <path d="M54.6 12.2V27" />
      <path d="M52.9 4.6h3.4v3.9h-3.4z" fill="currentColor" stroke="none" />
      <path d="M69.3 15.6c-.8-1.5-2.3-2.3-4.3-2.3-2.4 0-4 1.1-4 2.9 0 4.3 8.7 2 8.7 6.4 0 1.9-1.8 3.1-4.4 3.1-2.3 0-4.1-.9-5-2.7" />
      <path d="M76 6.5v15c0 2.7 1.3 3.9 3.6 3.9H83M72.2 13.6h10" />
    </svg>
  )
}

/** The pages of the lender's own site that brand.json names; nothing without them. */
export function LenderLinks({ className }: { className?: string }) {
  const { t } = useLingui()
  const { privacy_url: privacy, charges_url: charges, accessibility_url: accessibility } = getPortalConfig().brand
  const links = [
    { label: t`Privacy notice`, url: privacy },
    { label: t`Interest rates and charges`, url: charges },
    { label: t`Accessibility`, url: accessibility },
  ].filter(({ url }) => url !== undefined)
  if (links.length === 0) return null
  return (
    <ul className={cx('flex flex-wrap gap-x-5', className)}>
      {links.map(({ label, url }) => (
        <li key={label}>
          <a href={url} rel="noreferrer" className={cx(linkClass, 'inline-flex min-h-target min-w-target items-center')}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  )
}
