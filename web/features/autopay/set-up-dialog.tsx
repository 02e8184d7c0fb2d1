import { useLingui } from '@lingui/react/macro'
import { useId, useState } from 'react'
import type { AutopayOfferOnWire } from '#contract/autopay.ts'
import type { Loan } from '#contract/loans.ts'
import { zeroPaise, type Paise } from '#domain/money.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { getCallState } from '#web/ui/action-state.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Form } from '#web/ui/field.tsx'
import { formatRupeesInput } from '#web/ui/format.ts'
import { OptionGroup } from '#web/ui/option-card.tsx'
import { AccountFields } from './account-fields.tsx'
import { useSetUpMandate } from './autopay-queries.ts'
import { ConsentField } from './consent-field.tsx'
import { findFinalFocus } from './final-focus.ts'
import { CapField, MethodCard } from './set-up-fields.tsx'
import { type AccountEntry, buildMandateRequest, chooseFirstCap, emptyAccount } from './set-up-form.ts'
import { useFieldRefusal } from './set-up-refusal.ts'
import { WhatHappens } from './what-happens.tsx'
import { RefusalNote } from './refusal-note.tsx'

type SetUpDialogProps = {
  loan: Loan
  offer: AutopayOfferOnWire
  /** The limit begins with at least this, if the method allows it. */
  leastCap?: Paise
  onClose: () => void
}

/** Method, limit, what happens when, and consent; for an eMandate the account too. */
export function SetUpDialog({ loan, offer, leastCap = zeroPaise, onClose }: SetUpDialogProps) {
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

  const shownCap = capText ?? formatRupeesInput(chooseFirstCap(method, leastCap))
  const request = buildMandateRequest({ offer, method, capText: shownCap, account, hasConsented })
  return (
    <Dialog
      open
      size="md"
      isBusy={setUp.isPending}
      holdsInput
      onClose={onClose}
      title={t`Set up autopay`}
      findFinalFocus={() => findFinalFocus(setUp)}
      actions={
        <>
          <Button variant="secondary" state={setUp.isPending ? 'disabled' : 'normal'} onClick={onClose}>
            {t`Cancel`}
          </Button>
          <ActionButton type="submit" form={formId} permission={permission} state={getCallState(setUp)} className="max-md:w-full">
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
        {setUp.isError && refusal === null && <RefusalNote error={setUp.error} />}
      </Form>
    </Dialog>
  )
}
