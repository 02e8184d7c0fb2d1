import { Link } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode } from 'react'
import { buttonClass, type ButtonSize, type ButtonVariant } from './button.tsx'
import { cx } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'
import { linkClass } from './link-class.ts'

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { to: string; children: ReactNode }

/**
 * A link inside the portal. Addresses come from paths.ts, which already knows them all;
 * naming the routes again here would tie the ui kit to the screens.
 */
export function PathLink({ to, ...rest }: LinkProps) {
  // The look of the current link is the caller's: the router would add a class and aria-current of its own.
  return <Link to={to as '/'} activeOptions={exact} activeProps={noProps} {...(rest as object)} />
}
const exact = { exact: true }
const noProps = {}

/** A link inside a sentence. */
export function TextLink({ className, ...rest }: LinkProps) {
  return <PathLink className={cx(linkClass, className)} {...rest} />
}

/** A link that looks like a button: it goes somewhere, it does nothing. */
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
    <PathLink className={cx(buttonClass(variant, size, 'normal', block), className)} {...rest}>
      {icon && <Icon name={icon} size={18} className="flex-none" />}
      {children}
    </PathLink>
  )
}
