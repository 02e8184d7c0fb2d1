import { cx } from './class-names.ts'
import { Icon } from './icon.tsx'
import { LanguageSwitch, toolClass } from './language-switch.tsx'
import { useThemeSwitch } from './theme.ts'

/** The language and theme switches of a page without the portal's frame. */
export function PageSwitches({ className, onSpine = false }: { className: string; onSpine?: boolean }) {
  const theme = useThemeSwitch()
  const tool = onSpine ? toolClass.replace('hover:bg-sunken', 'hover:bg-spine-hover') : toolClass
  return (
    <div className={cx('items-center gap-1', className)}>
      <LanguageSwitch className={tool} />
      <button type="button" className={tool} onClick={theme.toggle} aria-label={theme.label}>
        <Icon name={theme.icon} />
      </button>
    </div>
  )
}
