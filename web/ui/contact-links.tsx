import { cx, linkClass } from './class-names.ts'

/** A phone number; a press calls it. */
export const PhoneLink = ({ phone, className }: { phone: string; className?: string }) => (
  <a href={`tel:${phone.replace(/[^+\d]/g, '')}`} className={cx(linkClass, 'whitespace-nowrap tabular-nums', className)}>
    {phone}
  </a>
)

/** An e-mail address; a press begins a message. A narrow line breaks it before its @. */
export function EmailLink({ email, className }: { email: string; className?: string }) {
  const at = email.indexOf('@')
  return (
    <a href={`mailto:${email}`} className={cx(linkClass, 'inline-block', className)}>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </a>
  )
}
