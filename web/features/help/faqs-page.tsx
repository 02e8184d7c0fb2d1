import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { usePageTitle } from '#web/app/page-title.ts'
import { paths } from '#web/app/paths.ts'
import { Card } from '#web/ui/card.tsx'
import { Disclosure } from '#web/ui/disclosure.tsx'
import { ButtonLink } from '#web/ui/links.tsx'

/** Questions by subject; each answer opens under its question. */
export function FaqsPage() {
  const { t, i18n } = useLingui()
  usePageTitle(t`FAQs`)
  return (
    <>
      <h1>{t`FAQs`}</h1>
      <p className="mt-2 mb-5 max-w-[60ch]">
        {t`Your loan’s figures are on the Active loans page: what is outstanding, when the next instalment is due and how each amount is calculated. If anything is unclear, write to or call customer support.`}
      </p>
      <div className="grid items-start gap-4 md:gap-5 lg:grid-cols-2">
        {faqs.map(({ id, title, entries }) => (
          <Card key={id} labelledBy={id}>
            <h2 id={id} className="mb-2">
              {i18n._(title)}
            </h2>
            <div className="divide-y divide-line border-t border-rule">
              {entries.map(({ question, answer }) => (
                <Disclosure key={question.id} summary={<span className="flex-1">{i18n._(question)}</span>}>
                  <p className="max-w-[60ch] text-sm">{i18n._(answer)}</p>
                </Disclosure>
              ))}
            </div>
          </Card>
        ))}
      </div>
      <ButtonLink to={paths.customerSupport} variant="secondary" icon="phone" className="mt-5">
        {t`Ask customer support`}
      </ButtonLink>
    </>
  )
}

type FaqSubject = {
  id: string
  title: MessageDescriptor
  entries: readonly { question: MessageDescriptor; answer: MessageDescriptor }[]
}

/** The questions, in the order of the portal. */
const faqs: readonly FaqSubject[] = [
  {
    id: 'faq-paying',
    title: msg`Paying`,
    entries: [
      {
        question: msg`How do I pay my EMI?`,
        answer: msg`Open the Payments tab of your loan and choose Next EMI, or Overdue amount if an EMI is late. Press Make payment. You pay by UPI, card or netbanking on Razorpay’s page, and the money goes straight to your lender’s account.`,
      },
      {
        question: msg`I have paid, but it is not shown yet. Should I pay again?`,
        answer: msg`No. Money that has left your account is never lost: the portal keeps checking with the payment provider, and the payment then appears under Completed payments. If it is not there the next day, give customer support the payment reference.`,
      },
      {
        question: msg`The payment failed, but money was taken from my account.`,
        answer: msg`Your bank returns the money of a failed payment automatically, usually within five working days. If the Payments tab still shows the payment as pending, wait, or cancel it there before you pay again. A new payment does not stop the return.`,
      },
      {
        question: msg`What does a late payment cost?`,
        answer: msg`A late charge, as stated in your agreement. It has its own line in the schedule, bears no interest and is never added to your principal. You find the amount in the schedule of charges among the papers in the Documents tab, or ask customer support.`,
      },
    ],
  },
  {
    id: 'faq-ahead',
    title: msg`Paying ahead`,
    entries: [
      {
        question: msg`What is a part payment?`,
        answer: msg`A payment towards your principal before it is due. With Reduce EMI you pay less each month and the loan ends on the same day; with Reduce Tenor your EMI stays the same and the loan ends sooner, which saves more interest. You see the figures of both before you pay.`,
      },
      {
        question: msg`Can I close my loan early?`,
        answer: msg`Yes: choose Foreclosure. The amount covers unpaid dues, the remaining principal, interest up to today and any prepayment charge in your agreement. It is valid until the end of the day.`,
      },
      {
        question: msg`Why can I not make a part payment while something is overdue?`,
        answer: msg`The overdue amount has to be cleared first, so that no further late charge arises.`,
      },
    ],
  },
  {
    id: 'faq-papers',
    title: msg`Disbursals and documents`,
    entries: [
      {
        question: msg`How do I ask for the next disbursal?`,
        answer: msg`Under Loan details press Request disbursal, then enter the amount in whole rupees and choose a date from tomorrow to 30 days from today. Your lender considers one request at a time.`,
      },
      {
        question: msg`Where do I find my interest certificate for income tax?`,
        answer: msg`In the Documents tab under Get a document, for each financial year. It shows the interest you paid in that year.`,
      },
    ],
  },
  {
    id: 'faq-safety',
    title: msg`Safety`,
    entries: [
      {
        question: msg`Somebody is asking for my OTP. What should I do?`,
        answer: msg`Never give it to anyone. Your lender’s staff never ask for it, by phone or message. If you have told somebody, sign out of other devices in your profile and call customer support.`,
      },
      {
        question: msg`Who can see my account?`,
        answer: msg`You, and your lender’s support staff when they help you. Your profile shows each time staff opened your account, why, and what they did.`,
      },
    ],
  },
]
