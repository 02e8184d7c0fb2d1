import { useLingui } from '@lingui/react/macro'
import { Suspense, useRef, useState } from 'react'
import type { Loan } from '#contract/loans.ts'
import type { RateReset } from '#contract/rate-resets.ts'
import { getLoanTabPath, partPaymentSearch } from '#web/app/paths.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { rememberPartPaymentEntry } from '#web/loan/part-payment-entry.ts'
import type { RateResetsProps } from '#web/loan/autopay.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { formatDay, formatMoney, formatRupeesInput } from '#web/ui/format.ts'
import { createLazyPart, usePreloadWhenIdle } from '#web/ui/lazy-part.tsx'
import { PathLink } from '#web/ui/links.tsx'
import { choiceText } from './reset-texts.ts'

const ResetDialog = createLazyPart(async () => (await import('./reset-dialog.tsx')).ResetDialog)

type ResetBannerProps = Pick<RateResetsProps, 'loan' | 'RenewMandate'> & { reset: RateReset }

/** One change of the rate: what it is, what applies, and until when it can be chosen. */
export function ResetBanner({ loan, reset, RenewMandate }: ResetBannerProps) {
  const { t } = useLingui()
  usePreloadWhenIdle(ResetDialog)
  const opener = useRef<HTMLButtonElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const [isSaved, setIsSaved] = useState(false)
  const { title, detail } = useResetTexts(reset)
  const canChoose = reset.preview_hash !== null
  return (
    <section aria-labelledby={`reset-${reset.id}`} className="mb-4 md:mb-5">
      <Banner {...looks[reset.state]}>
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <div className="min-w-0 max-w-160">
            <h2 id={`reset-${reset.id}`} className="text-base font-semibold">
              {title}
            </h2>
            <p>{detail}</p>
            <p role="status">{isSaved && reset.choice !== null && t`Your choice is saved.`}</p>
            {reset.choice === 'part_payment' && canChoose && <PartPaymentLink loan={loan} reset={reset} />}
          </div>
          {canChoose && (
            <Button
              ref={opener}
              size="sm"
              variant={reset.state === 'notified' ? 'primary' : 'secondary'}
              onClick={() => {
                setIsSaved(false)
                setIsOpen(true)
              }}
            >
              {reset.state === 'notified' ? t`Compare and choose` : t`Choose something else`}
            </Button>
          )}
        </div>
      </Banner>
      {/* Mounted when opened, so that it begins with what applies now. */}
      {isOpen && (
        <Suspense>
          <ResetDialog
            loan={loan}
            reset={reset}
            RenewMandate={RenewMandate}
            onClose={() => setIsOpen(false)}
            onChosen={() => {
              setIsSaved(true)
              setIsOpen(false)
            }}
            findFinalFocus={() => opener.current}
          />
        </Suspense>
      )}
    </section>
  )
}

/** To the part payment that the option needs, with its amount filled in; while it needs one. */
function PartPaymentLink({ loan, reset }: { loan: Loan; reset: RateReset }) {
  const { t } = useLingui()
  const sum = reset.options.find(({ option }) => option === 'part_payment')?.amount
  if (sum === undefined) return null
  const amount = formatMoney(sum)
  return (
    <PathLink
      to={getLoanTabPath('payments')}
      search={partPaymentSearch}
      className="inline-flex min-h-target items-center font-semibold text-brand underline underline-offset-3"
      onClick={() => rememberPartPaymentEntry(loan.lan, { text: formatRupeesInput(sum), purpose: 'PART_PAYMENT__REDUCE_TENOR' })}
    >
      {t`Make the part payment of ${amount}`}
    </PathLink>
  )
}

const looks = {
  computed: {},
  notified: { tone: 'caution' },
  chosen: { tone: 'positive' },
  defaulted: { tone: 'info' },
  effective: { tone: 'info' },
  withdrawn: { tone: 'info', icon: 'close' },
} as const

function useResetTexts(reset: RateReset): { title: string; detail: string } {
  const { t, i18n } = useLingui()
  const language = useLanguage()
  const { from, to, state, choice } = reset
  // Not while the loan is checked: then there is nothing to choose from.
  const isOpen = reset.preview_hash !== null
  const day = formatDay(reset.effective_on, language)
  const until = formatDay(reset.choose_until, language)
  const last = formatDay(reset.last_due_date, language)
  const emi = formatMoney(reset.instalment)
  const title = t`Your interest rate changes from ${from}% to ${to}% on ${day}`
  switch (state) {
    case 'withdrawn':
      return {
        title: t`Your interest rate does not change on ${day} after all`,
        detail: t`Your lender withdrew the change from ${from}% to ${to}%. Nothing changes for you.`,
      }
    case 'effective':
      return {
        title: t`Your interest rate has been ${to}% since ${day}`,
        detail:
          choice === null
            ? t`The time to choose is over. You did not choose, so the EMI is ${emi} and the last one is on ${last}.`
            : t`As you chose, the EMI is ${emi} and the last one is on ${last}.`,
      }
    case 'chosen': {
      const chosen = choice === null ? '' : i18n._(choiceText[choice])
      return {
        title,
        detail: isOpen
          ? t`You chose: ${chosen}. The EMI will be ${emi} and the last one is on ${last}. You can choose something else until ${until}.`
          : t`You chose: ${chosen}. The EMI will be ${emi} and the last one is on ${last}.`,
      }
    }
    case 'defaulted':
      return { title, detail: t`You have not chosen. The EMI will be ${emi} and the last one is on ${last}.` }
    default:
      return {
        title,
        detail: isOpen
          ? t`Choose by ${until} what changes. If you choose nothing, the EMI will be ${emi} and the last one is on ${last}.`
          : t`If you choose nothing, the EMI will be ${emi} and the last one is on ${last}.`,
      }
  }
}
