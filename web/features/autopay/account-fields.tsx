import { useLingui } from '@lingui/react/macro'
import { mandateAuthTypes } from '#domain/autopay.ts'
import { ChoiceField } from '#web/ui/choice-field.tsx'
import { TextField } from '#web/ui/field.tsx'
import { approvalText } from './autopay-texts.ts'
import { type AccountEntry, cleanAccountNumber, cleanIfsc, findAccountProblems } from './set-up-form.ts'

type AccountFieldsProps = { entry: AccountEntry; onChange: (entry: AccountEntry) => void }

/** The bank account of an eMandate. It is sent to the provider; the portal keeps four digits. */
export function AccountFields({ entry, onChange }: AccountFieldsProps) {
  const { t, i18n } = useLingui()
  const problems = findAccountProblems(entry)
  const problemOf = (field: keyof AccountEntry, text: string): string | null => (problems.has(field) ? text : null)
  return (
    <div className="space-y-4">
      <ChoiceField
        legend={t`How do you approve it?`}
        options={mandateAuthTypes.map((value) => ({ value, label: i18n._(approvalText[value]) }))}
        value={entry.approval}
        onChange={(approval) => onChange({ ...entry, approval })}
        problem={problemOf('approval', t`Choose how you approve it`)}
      />
      <TextField
        id="autopay-name"
        label={t`Name of the account holder`}
        hint={t`As at the bank`}
        maxLength={120}
        value={entry.name}
        onChange={(name) => onChange({ ...entry, name })}
        problem={problemOf('name', t`Enter the name, at least 4 letters`)}
      />
      <TextField
        id="autopay-number"
        label={t`Account number`}
        hint={t`Sent to your bank; we keep the last four digits`}
        inputMode="numeric"
        value={entry.number}
        onChange={(text) => onChange({ ...entry, number: cleanAccountNumber(text) })}
        problem={problemOf('number', t`Enter the account number, 9 to 18 digits`)}
      />
      <TextField
        id="autopay-ifsc"
        label={t`IFSC`}
        hint={t`11 characters, on your cheque or passbook`}
        value={entry.ifsc}
        onChange={(text) => onChange({ ...entry, ifsc: cleanIfsc(text) })}
        problem={problemOf('ifsc', t`Enter the IFSC, for example HDFC0000001`)}
      />
      <ChoiceField
        legend={t`Kind of account`}
        options={[
          { value: 'savings' as const, label: t`Savings` },
          { value: 'current' as const, label: t`Current` },
        ]}
        value={entry.type}
        onChange={(type) => onChange({ ...entry, type })}
        problem={problemOf('type', t`Choose the kind of account`)}
      />
    </div>
  )
}
