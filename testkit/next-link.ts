import type { Answer, App } from './start-app.ts'

/** Requests a payment link for the next instalment of a borrower's first loan. */
export async function askForNextLink(app: App, token: string, headers: Record<string, string> = {}): Promise<Answer & { lan: string }> {
  const loans = (await app.get('/portal/loans-summary', token)).body['loans'] as { lan: string }[]
  const lan = loans[0]?.lan ?? ''
  const schedule = await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)
  const { next_emi_payment } = schedule.body['allowed_payments'] as { next_emi_payment?: { amount: number } }
  const order = {
    amount: next_emi_payment?.amount,
    lead_id: lan,
    application_id: lan,
    purpose: 'PAY_EMI',
    callback_url: 'http://localhost:3000/payments/waiting-for-payment',
  }
  return { ...(await app.post('/portal/payment-link?use_razorpay=true', order, token, headers)), lan }
}
