import { useLingui } from '@lingui/react/macro'
import { Icon, type IconName } from '#web/ui/icon.tsx'
import { linkClass } from '#web/ui/link-class.ts'

/** Phone, e-mail and hours, as far as they are configured. */
export function ContactWays({ phone, email, hours }: { phone: string; email: string; hours?: string }) {
  const { t } = useLingui()
  return (
    <dl className="border-t border-rule">
      {phone && <Way icon="phone" label={t`Phone`} text={phone} href={`tel:${phone.replace(/[^+\d]/g, '')}`} />}
      {email && <Way icon="mail" label={t`Email`} text={email} href={`mailto:${email}`} />}
      {hours && <Way icon="clock" label={t`Hours`} text={hours} />}
    </dl>
  )
}

function Way({ icon, label, text, href }: { icon: IconName; label: string; text: string; href?: string }) {
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 border-b border-line py-2 last:border-b-0 last:pb-0">
      <Icon name={icon} className="row-span-2 text-muted" />
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="flex min-h-9 items-center font-semibold wrap-anywhere">
        {href ? (
          <a href={href} className={`${linkClass} inline-flex min-h-target items-center`}>
            {text}
          </a>
        ) : (
          text
        )}
      </dd>
    </div>
  )
}
