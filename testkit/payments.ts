import type { Answer, App } from './start-app.ts'

/** The page to which the provider sends a payer back. */
export const waitingPage = 'http://localhost:3000/payments/waiting-for-payment'

/** Where a schedule has the amount that is offered for a purpose. */
const offers: Readonly<Record<string, string>> = {
  PAY_EMI: 'next_emi_payment',
  OVERDUE: 'overdue_payment',
  FORECLOSURE: 'foreclosure_payment',
}

/** The account number of a borrower's first loan. */
export async function firstLoan(app: App, token: string): Promise<string> {
  const { body } = await app.get('/portal/loans-summary', token)
  return String((body['loans'] as { lan: string }[])[0]?.lan)
}

export async function readOffer(app: App, token: string, lan: string, purpose: string): Promise<number> {
  const { body } = await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)
  const offered = (body['allowed_payments'] as Record<string, { amount: number } | undefined>)[offers[purpose] ?? '']
  if (offered === undefined) throw new Error(`${purpose} is not offered`)
  return offered.amount
}

/** Left out: the first loan, the next instalment, the amount that is offered for the purpose. */
type LinkRequest = { lan?: string; purpose?: string; amount?: number; headers?: Record<string, string> }

export async function requestLink(app: App, token: string, request: LinkRequest = {}): Promise<Answer> {
  const lan = request.lan ?? (await firstLoan(app, token))
  const purpose = request.purpose ?? 'PAY_EMI'
  const amount = request.amount ?? (await readOffer(app, token, lan, purpose))
  const order = { amount, purpose, lead_id: lan, application_id: lan, callback_url: waitingPage }
  return app.post('/portal/payment-link', order, token, request.headers)
}

/** Requests a link, which must be answered with one. @returns its id at the provider. */
export async function openLink(app: App, token: string, request?: LinkRequest): Promise<string> {
  const { status, body } = await requestLink(app, token, request)
  if (status !== 200) throw new Error(`No payment link was created: ${status} ${JSON.stringify(body)}`)
  return String(body['payment_link_id'])
}

/** Has the sandbox's payer pay a link by UPI. */
export const payLink = (app: App, link: string, outcome: object = {}): Promise<Record<string, unknown>> =>
  app.sandbox(`/links/${link}/pay`, { method: 'upi', outcome: 'success', ...outcome })
