import { useId, type ReactNode } from 'react'
import { cx } from './class-names.ts'

type OptionCardProps = {
  /** Shared by the cards of one group. */
  name: string
  value: string
  checked: boolean
  onSelect: (value: string) => void
  title: string
  /** What the choice means, or why it is not possible. */
  description?: ReactNode
  /** <Money size="sm">, or words if there is no fixed amount. */
  amount?: ReactNode
  disabled?: boolean
  /** One line without an edge: for choices that are not possible now. */
  isLine?: boolean
  /** For two cards side by side, also on phones: less padding, the content over the whole width. */
  isHalf?: boolean
  /** More content below the description, which is read after it. */
  children?: ReactNode
}

/**
 * A choice with an amount, inside an OptionGroup. The whole card is the label of a native radio
 * button.
 */
export function OptionCard({
  name,
  value,
  checked,
  onSelect,
  title,
  description,
  amount,
  disabled = false,
  isLine = false,
  isHalf = false,
  children,
}: OptionCardProps) {
  const id = useId()
  const hasMore = !isLine && Boolean(children)
  return (
    <label
      htmlFor={id}
      className={cx(
        'relative grid grid-cols-[auto_minmax(0,1fr)] content-start gap-y-0.5',
        isHalf ? 'gap-x-1.5 md:gap-x-3' : 'gap-x-3',
        isLine ? 'px-1 text-sm' : 'rounded-md border transition-colors md:px-4 md:py-3',
        !isLine && (isHalf ? 'p-2.5' : 'p-4'),
        'has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus',
        disabled && 'cursor-not-allowed text-muted',
        disabled && !isLine && 'border-line bg-surface',
        !disabled && checked && 'border-brand bg-brand-soft inset-ring inset-ring-brand',
        !disabled && !checked && 'border-line-strong bg-raised hover:border-brand',
      )}
    >
      <input
        id={id}
        type="radio"
        name={name}
        value={value}
        checked={checked}
        disabled={disabled}
        onChange={() => onSelect(value)}
        aria-labelledby={`${id}-title ${id}-amount`}
        aria-describedby={[description ? `${id}-description` : '', hasMore ? `${id}-more` : ''].join(' ').trim() || undefined}
        className={cx(
          !isLine && 'row-span-2',
          'mt-0.5 size-5.5 cursor-[inherit] appearance-none rounded-full border-2 border-line-strong bg-raised outline-0 checked:border-7 checked:border-brand disabled:border-line disabled:bg-surface forced-colors:appearance-auto',
        )}
      />
      {/* A large amount wraps below its title. */}
      <span className={cx('flex flex-wrap gap-x-3', !isLine && 'justify-between')}>
        <span id={`${id}-title`} className={cx(isLine ? 'font-medium' : 'font-semibold', isHalf && 'max-md:text-sm')}>
          {title}
        </span>
        <span id={`${id}-amount`}>{amount}</span>
        {isLine && description && <span id={`${id}-description`}>{description}</span>}
      </span>
      {!isLine && description && (
        <span id={`${id}-description`} className={cx('col-start-2 text-sm text-muted', isHalf && 'max-md:sr-only')}>
          {description}
        </span>
      )}
      {hasMore && (
        <span id={`${id}-more`} className={cx('mt-2', isHalf ? 'col-span-2' : 'col-start-2')}>
          {children}
        </span>
      )}
    </label>
  )
}

/** The group of OptionCards; `legend` is read with each choice. */
export function OptionGroup({ legend, hideLegend = true, children }: { legend: string; hideLegend?: boolean; children: ReactNode }) {
  return (
    <fieldset className="min-w-0">
      <legend className={hideLegend ? 'sr-only' : 'mb-2 text-sm font-semibold'}>{legend}</legend>
      <div className="space-y-3 md:space-y-2">{children}</div>
    </fieldset>
  )
}
