import type { Order } from '../entities.ts'
import type { Customer, MandateTerms, Registration, Token } from './entities.ts'

/** The provider's JSON of the entities of recurring payments. */

export function customerView(customer: Customer): Record<string, unknown> {
  return {
    id: customer.id,
    entity: 'customer',
    name: customer.name,
    email: customer.email,
    contact: customer.contact,
    gstin: customer.gstin,
    notes: customer.notes ?? [],
    created_at: customer.created_at,
  }
}

/** A registration link, which the provider calls an invoice. */
export function registrationView(registration: Registration, publicUrl: string): Record<string, unknown> {
  const { amount, name, email, contact } = registration
  const isPaid = registration.status === 'paid'
  return {
    id: registration.id,
    entity: 'invoice',
    receipt: registration.receipt || null,
    invoice_number: registration.receipt || null,
    customer_id: registration.customer_id,
    customer_details: {
      id: registration.customer_id,
      name,
      email,
      contact,
      gstin: null,
      billing_address: null,
      shipping_address: null,
      customer_name: name,
      customer_email: email,
      customer_contact: contact,
    },
    order_id: registration.order_id,
    line_items: [],
    payment_id: registration.payment_id,
    status: registration.status,
    expire_by: registration.expire_by,
    issued_at: registration.created_at,
    paid_at: registration.paid_at,
    cancelled_at: registration.cancelled_at,
    expired_at: registration.expired_at,
    sms_status: registration.is_sms_sent ? 'sent' : null,
    email_status: registration.is_email_sent ? 'sent' : null,
    date: registration.created_at,
    terms: null,
    partial_payment: false,
    gross_amount: amount,
    tax_amount: 0,
    taxable_amount: 0,
    amount,
    amount_paid: isPaid ? amount : 0,
    amount_due: isPaid ? 0 : amount,
    currency: registration.currency,
    currency_symbol: '₹',
    description: registration.description,
    notes: registration.notes ?? [],
    comment: null,
    short_url: `${publicUrl}/i/${registration.slug}`,
    view_less: true,
    billing_start: null,
    billing_end: null,
    type: 'link',
    group_taxes_discounts: false,
    created_at: registration.created_at,
    idempotency_key: null,
  }
}

/** The link right after its creation, as a lagging replica returns it. */
export function staleRegistration(registration: Registration): Registration {
  return { ...registration, status: 'issued', payment_id: null, paid_at: null, cancelled_at: null, expired_at: null }
}

/** A token; `bank_details` carries the whole account number, as in the published samples. */
export function tokenView(token: Token): Record<string, unknown> {
  const { terms } = token
  const isUpi = terms.method === 'upi'
  return {
    id: token.id,
    entity: 'token',
    token: token.token,
    bank: terms.bank_account?.ifsc.slice(0, 4) ?? null,
    wallet: null,
    method: terms.method,
    vpa: isUpi ? { username: 'success', handle: 'razorpay', name: null } : null,
    recurring: isUpi || token.status !== 'rejected',
    recurring_details: { status: token.status, failure_reason: token.failure_reason },
    auth_type: terms.auth_type,
    mrn: null,
    used_at: token.used_at,
    created_at: token.created_at,
    ...(isUpi ? { start_time: token.created_at } : { bank_details: terms.bank_account }),
    max_amount: terms.max_amount,
    expired_at: terms.expire_at,
    dcc_enabled: false,
  }
}

/** The token before its last changes, as a lagging replica returns it. */
export function staleToken(token: Token): Token {
  return { ...token, status: 'initiated', failure_reason: null }
}

/** What the order of a registration says of its mandate; the account number is masked. */
export function termsView(terms: MandateTerms): Record<string, unknown> {
  const { bank_account: account } = terms
  return {
    method: terms.method,
    recurring_status: null,
    failure_reason: null,
    currency: 'INR',
    max_amount: terms.max_amount,
    auth_type: terms.auth_type,
    expire_at: terms.expire_at,
    ...(account === null
      ? {}
      : {
          bank_account: {
            ...account,
            account_number: `${'X'.repeat(account.account_number.length - 4)}${account.account_number.slice(-4)}`,
          },
        }),
    first_payment_amount: 0,
  }
}

/** The pre-debit notification of an order, as in its webhook. */
export function notificationView({ id, notification }: Order): Record<string, unknown> {
  return {
    id: notification?.id,
    entity: 'notification',
    order_id: id,
    token_id: notification?.token_id,
    delivered_at: notification?.delivered_at,
    status: notification?.status,
    payment_after: notification?.payment_after,
  }
}
