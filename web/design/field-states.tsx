import { useState } from 'react'
import { addDays, toDay, type Day } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { Money } from '#web/loan/money.tsx'
import { ChoiceField, ToggleField } from '#web/ui/choice-field.tsx'
import { DatePicker } from '#web/ui/date-picker.tsx'
import { AmountField, TextAreaField } from '#web/ui/field.tsx'
import { FileDrop } from '#web/ui/file-drop.tsx'
import { OptionCard, OptionGroup } from '#web/ui/option-card.tsx'
import { OtpField } from '#web/ui/otp-field.tsx'
import { PhoneField } from '#web/ui/grouped-field.tsx'
import { SearchField } from '#web/ui/search-field.tsx'
import { Select } from '#web/ui/select.tsx'
import { Part } from './part.tsx'

const today = toDay('2026-12-01')
const problem = 'Enter a valid 10-digit mobile number'

/** Fields: empty, filled, with an error, disabled. */
export function FieldStates() {
  const [phone, setPhone] = useState('98765')
  const [amount, setAmount] = useState('25019.5')
  const [code, setCode] = useState('135')
  const [text, setText] = useState('')
  return (
    <Part title="Fields">
      <div className="grid gap-6 md:grid-cols-2">
        <PhoneField
          id="d-phone"
          label="Mobile number"
          hint="The number you gave your lender"
          error={null}
          value={phone}
          onChange={setPhone}
        />
        <PhoneField
          id="d-phone-error"
          label="Mobile number, wrong"
          hint="The number you gave your lender"
          error={problem}
          value={phone}
          onChange={setPhone}
        />
        <AmountField id="d-amount" label="Amount" hint="From ₹8,059 to ₹3,78,436.47" value={amount} onChange={setAmount} />
        <AmountField
          id="d-amount-error"
          label="Amount, wrong"
          problem="Amount cannot exceed ₹1,000"
          showsProblem
          value={amount}
          onChange={setAmount}
        />
        <OtpField id="d-code" label="6-digit OTP" value={code} onChange={setCode} />
        <OtpField id="d-code-error" label="6-digit OTP, wrong" error="This OTP does not match." value={code} onChange={setCode} />
        <TextAreaField id="d-area" label="Reason" hint="Your borrower reads it" value={text} onChange={setText} />
        <SearchField id="d-search" label="Search by name, email, phone, or PAN" value={text} onChange={setText} onSubmit={() => {}} />
        <Choices />
        <Files />
      </div>
      <Options />
    </Part>
  )
}

function Choices() {
  const [day, setDay] = useState<Day | null>(null)
  const [kind, setKind] = useState<'Transcript' | 'Others' | null>(null)
  const [wanted, setWanted] = useState(true)
  const [loan, setLoan] = useState('1')
  return (
    <div className="space-y-6">
      <DatePicker
        id="d-date"
        label="Date"
        value={day}
        onChange={setDay}
        range={{ min: addDays(today, 1), max: addDays(today, 30), today }}
      />
      <ChoiceField
        legend="Type"
        options={[
          { value: 'Transcript', label: 'Transcript' },
          { value: 'Others', label: 'Others' },
        ]}
        value={kind}
        onChange={setKind}
      />
      <ToggleField label="Text messages about payments" checked={wanted} onChange={setWanted} />
      <Select
        label="Selected loan"
        value={loan}
        onChange={setLoan}
        options={[
          { value: '1', title: 'MBA, 2025 to 2027', detail: 'KST-25-001208' },
          { value: '2', title: 'Diploma in design', detail: 'KST-21-000317' },
        ]}
      />
    </div>
  )
}

function Files() {
  const [file, setFile] = useState<File | null>(null)
  return (
    <div className="space-y-6">
      <FileDrop label="File" hint="PDF, BMP, JPEG, PNG or WEBP, up to 10 MB" accept=".pdf" file={file} onChoose={setFile} />
      <FileDrop label="File, wrong" hint="PDF" accept=".pdf" file={null} problem="File is empty." showsProblem onChoose={setFile} />
    </div>
  )
}

function Options() {
  const [chosen, setChosen] = useState('next_emi')
  return (
    <OptionGroup legend="What do you want to pay?" hideLegend={false}>
      <OptionCard
        name="d-option"
        value="overdue"
        checked={false}
        onSelect={setChosen}
        title="Overdue amount"
        description="Nothing is overdue"
        disabled
      />
      <OptionCard
        name="d-option"
        value="next_emi"
        checked={chosen === 'next_emi'}
        onSelect={setChosen}
        title="Next EMI"
        description="Due 05 Dec 2026"
        amount={<Money amount={paise(805_900n)} size="sm" />}
      />
      <OptionCard
        name="d-option"
        value="part_payment"
        checked={chosen === 'part_payment'}
        onSelect={setChosen}
        title="Part payment"
        description="Lowers your EMI or your tenor."
        amount="You choose"
      />
    </OptionGroup>
  )
}
