import { Link } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode } from 'react'
import { getButtonClass, type ButtonSize, type ButtonVariant } from './button-class.ts'
import { cx, linkClass } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & {
  to: string
  search?: Readonly<Record<string, string>>
  children: ReactNode
}

/**
 * A link inside the portal. Addresses come from paths.ts; typed routes here would make web/ui
 * depend on the screens.
 */
export function PathLink({ to, ...rest }: LinkProps) {
  // The caller styles the current link: the router would add a class and aria-current.
  return <Link to={to as '/'} activeOptions={exact} activeProps={noProps} {...(rest as object)} />
}
const exact = { exact: true }
const noProps = {}

/** A link inside a sentence. */
export function TextLink({ className, ...rest }: LinkProps) {
  return <PathLink className={cx(linkClass, className)} {...rest} />
}

/** A link that looks like a button. */
export function ButtonLink({
  variant = 'primary',
  size = 'md',
  block = false,
  icon,
  children,
  className,
  ...rest
}: LinkProps & { variant?: ButtonVariant; size?: ButtonSize; block?: boolean; icon?: IconName }) {
  return (
    <PathLink className={cx(getButtonClass(variant, size, 'normal', block), className)} {...rest}>
      {icon && <Icon name={icon} size={18} className="flex-none" />}
      {children}
    </PathLink>
  )
}

type LinkTab = {
  to: string
  search?: Readonly<Record<string, string>>
  label: string
  /** How much is behind it, beside the label; it takes no place, so that nothing moves. */
  count?: number
  current: boolean
}

/** Sections of a screen, each with its own route: links in a named navigation, not ARIA tabs. */
export function LinkTabs({ label, tabs }: { label: string; tabs: readonly LinkTab[] }) {
  const hasCounts = tabs.some(({ count }) => count !== undefined)
  return (
    <nav
      aria-label={label}
      className={cx(
        // The many tabs of staff take two lines on phones: a tab past the edge would not be found.
        hasCounts ? 'gap-x-9 max-md:flex-wrap md:gap-10' : 'md:gap-6',
        '-mx-4 mb-4 flex overflow-x-auto overflow-y-hidden border-b border-line px-4 [scrollbar-width:none] md:mx-0 md:mb-5 md:px-0 print:hidden',
      )}
    >
      {tabs.map((tab) => (
        <PathLink
          key={tab.label}
          to={tab.to}
          {...(tab.search && { search: tab.search })}
          aria-current={tab.current ? 'page' : undefined}
          className={cx(
            hasCounts ? 'flex-none' : 'flex-1',
            'relative inline-flex min-h-12 items-center justify-center border-b-3 border-transparent px-1 forced-colors:border-[Canvas] forced-colors:aria-[current]:border-[Highlight] py-1 text-sm font-medium whitespace-nowrap text-muted hover:border-line-strong hover:text-ink focus-visible:outline-offset-[-3px] aria-[current]:border-brand aria-[current]:font-semibold aria-[current]:text-brand md:flex-none md:px-0 md:text-base',
          )}
        >
          {tab.label}
          {tab.count !== undefined && (
            <span className="absolute left-full pl-0.5 text-xs whitespace-pre tabular-nums">{tab.count > 0 && ` (${tab.count})`}</span>
          )}
        </PathLink>
      ))}
    </nav>
  )
}
