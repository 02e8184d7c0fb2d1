import { Field } from '@base-ui/react/field'
import { useLingui } from '@lingui/react/macro'
import { FieldRoot } from '#web/ui/field.tsx'

type ConsentFieldProps = { text: string; checked: boolean; onChange: (checked: boolean) => void }

/** The text that the borrower agrees to, as the label of its checkbox. */
export function ConsentField({ text, checked, onChange }: ConsentFieldProps) {
  const { t } = useLingui()
  return (
    <FieldRoot id="autopay-consent" problem={checked ? null : t`Tick the box to agree`}>
      <label className="flex items-start gap-3 rounded-md bg-sunken p-3 text-sm has-focus-visible:outline-3 has-focus-visible:outline-focus">
        <Field.Control
          value={checked ? 'agreed' : ''}
          render={
            <input
              type="checkbox"
              checked={checked}
              onChange={(event) => onChange(event.target.checked)}
              className="mt-0.5 size-5 flex-none accent-brand outline-0"
            />
          }
        />
        {text}
      </label>
    </FieldRoot>
  )
}
