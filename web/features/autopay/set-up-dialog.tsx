import { useLingui } from '@lingui/react/macro'
import { useId, useState } from 'react'
import type { AutopayOfferOnWire } from '#contract/autopay.ts'
import type { Loan } from '#contract/loans.ts'
import { ApiError } from '#web/api/api-error.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { AmountField, Form } from '#web/ui/field.tsx'
import { formatDay, formatMoney, formatRupeesInput } from '#web/ui/format.ts'
import { OptionCard, OptionGroup } from '#web/ui/option-card.tsx'
import { AccountFields } from './account-fields.tsx'
import { useSetUpMandate } from './autopay-queries.ts'
import { getRefusalText, methodText } from './autopay-texts.ts'
import { ConsentField } from './consent-field.tsx'
import { type AccountEntry, buildMandateRequest, emptyAccount, type MethodOffer, readCap } from './set-up-form.ts'

type SetUpDialogProps = { loan: Loan; offer: AutopayOfferOnWire; onClose: () => void }

/** Method, limit, what happens when, and consent; for an eMandate the account too. */
export function SetUpDialog({ loan, offer, onClose }: SetUpDialogProps) {
  const { t } = useLingui()
  const formId = useId()
  const permission = usePermission('mandate:create')
  const setUp = useSetUpMandate(loan)
  const [methodName, setMethodName] = useState(offer.methods[0]?.method)
  const [capText, setCapText] = useState<string | null>(null)
  const [account, setAccount] = useState<AccountEntry>(emptyAccount)
  const [hasConsented, setHasConsented] = useState(false)
  const method = offer.methods.find((one) => one.method === methodName) ?? offer.methods[0]
  const refusal = useFieldRefusal(setUp.error)
  if (method === undefined) return null

  const shownCap = capText ?? formatRupeesInput(method.max_amount)
  const request = buildMandateRequest({ offer, method, capText: shownCap, account, hasConsented })
  const close = (): void => {
    if (!setUp.isPending) onClose()
  }
  return (
    <Dialog
      open
      size="md"
      onClose={close}
      title={t`Set up automatic payments`}
      findFinalFocus={() => (setUp.isSuccess ? document.getElementById('autopay') : null)}
      actions={
        <>
          <Button variant="secondary" onClick={close}>
            {t`Cancel`}
          </Button>
          <ActionButton
            type="submit"
            form={formId}
            permission={permission}
            state={setUp.isPending ? 'loading' : setUp.isError ? 'error' : 'normal'}
            className="max-md:w-full"
          >
            {t`Agree and continue`}
          </ActionButton>
        </>
      }
    >
      <Form
        id={formId}
        className="space-y-5"
        refusal={refusal}
        onSubmit={() => {
          if (request && permission === 'allowed' && !setUp.isPending) setUp.mutate(request, { onSuccess: onClose })
        }}
      >
        <OptionGroup legend={t`How should it be debited?`} hideLegend={false}>
          {offer.methods.map((one) => (
            <MethodCard key={one.method} offer={one} checked={one === method} onSelect={() => setMethodName(one.method)} />
          ))}
        </OptionGroup>
        {method.method === 'emandate' && <AccountFields entry={account} onChange={setAccount} />}
        <CapField method={method} text={shownCap} onChange={setCapText} />
        <WhatHappens offer={offer} />
        <ConsentField text={offer.consent_text} checked={hasConsented} onChange={setHasConsented} />
        {setUp.isError && refusal === null && <SetUpFailure error={setUp.error} />}
      </Form>
    </Dialog>
  )
}

type MethodCardProps = { offer: MethodOffer; checked: boolean; onSelect: () => void }

function MethodCard({ offer: { method, pin_each_time: needsPin }, checked, onSelect }: MethodCardProps) {
  const { t, i18n } = useLingui()
  const upi = needsPin
    ? t`Approve once in your UPI app. The app asks for your UPI PIN at each debit.`
    : t`Approve once in your UPI app. Works at once; no PIN for each debit.`
  return (
    <OptionCard
      name="autopay-method"
      value={method}
      checked={checked}
      onSelect={onSelect}
      title={i18n._(methodText[method])}
      description={method === 'upi' ? upi : t`Approve with netbanking, debit card or Aadhaar. Your bank confirms in about one working day.`}
    />
  )
}

function CapField({ method, text, onChange }: { method: MethodOffer; text: string; onChange: (text: string) => void }) {
  const { t } = useLingui()
  const cap = readCap(text, method)
  const [least, most] = [formatMoney(method.max_amount), formatMoney(method.limit)]
  const problems = {
    not_an_amount: t`Please enter a valid amount`,
    below_offer: t`The limit must be at least ${least}, so that your EMI fits`,
    above_limit: t`The limit can be at most ${most}`,
  }
  return (
    <AmountField
      id="autopay-cap"
      label={t`Limit for each debit`}
      hint={t`Only what is due is debited, never more than this. At least ${least}.`}
      problem={'problem' in cap ? problems[cap.problem] : null}
      value={text}
      onChange={onChange}
      wholeRupees
    />
  )
}

/** The days of a debit, in the order of time. */
function WhatHappens({ offer: { debit_day: dueDay, first_debit_on: firstDay } }: { offer: AutopayOfferOnWire }) {
  const { t } = useLingui()
  const first = formatDay(firstDay, useLanguage())
  const lines = [
    t`Two days before: you are told the amount. You can skip it until one hour before the debit.`,
    dueDay === 31
      ? t`On the last day of the month: what is due is debited in the morning.`
      : t`On day ${dueDay} of the month: what is due is debited in the morning.`,
    t`If it fails: you are told why, and can pay by hand.`,
  ]
  return (
    <section aria-label={t`What happens when`} className="text-sm">
      <h3 className="mb-1 text-sm">{t`What happens when`}</h3>
      <ul className="list-disc space-y-1 pl-5 text-muted">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p className="mt-2 font-medium">{t`First debit: ${first}`}</p>
    </section>
  )
}

function SetUpFailure({ error }: { error: unknown }) {
  const { i18n } = useLingui()
  return (
    <Banner tone="danger" live="alert">
      {i18n._(getRefusalText(error))}
    </Banner>
  )
}

/** The server's names of the fields, and our ids. */
const fieldIds: Readonly<Record<string, string>> = {
  max_amount: 'autopay-cap',
  'account.beneficiary_name': 'autopay-name',
  'account.account_number': 'autopay-number',
  'account.ifsc_code': 'autopay-ifsc',
  consent_version: 'autopay-consent',
}

/** A refusal that one of the fields can mend. */
function useFieldRefusal(error: unknown): { id: string; text: string } | null {
  const { t } = useLingui()
  const { code, problem } = error instanceof ApiError ? error : {}
  const id = code === 'AutopayFieldInvalid' ? fieldIds[problem?.field ?? ''] : undefined
  if (id === undefined) return null
  return {
    id,
    text:
      id === 'autopay-consent'
        ? t`The text has changed. Close this window and open it again.`
        : t`The server did not accept this. Check it.`,
  }
}
