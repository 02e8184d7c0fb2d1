import { answerNotify, found, isStale, page, type Asked, type Route } from '../api-request.ts'
import type { Order } from '../entities.ts'
import { ProviderError, providerTexts } from '../errors.ts'
import { json, type Answer } from '../http.ts'
import { collection, orderView, staleOrder } from '../views.ts'
import type { SandboxContext } from '../context.ts'
import { createCustomer, editCustomer } from './customers.ts'
import { createDebit } from './debits.ts'
import type { Customer, Registration, Token } from './entities.ts'
import { customerInput, debitInput, orderInput, registrationInput } from './input.ts'
import { createDebitOrder } from './orders.ts'
import { cancelRegistration, createRegistration } from './registrations.ts'
import { cancelToken, deleteToken } from './tokens.ts'
import { customerView, registrationView, staleRegistration, staleToken, tokenView } from './views.ts'

const tokenPath = '^/v1/customers/([^/]+)/tokens/([^/]+)'

/** Registration links, customers, tokens, orders of debits, recurring payments. */
export const recurringRoutes: readonly Route[] = [
  { method: 'POST', path: /^\/v1\/subscription_registration\/auth_links$/, call: 'registration_create', handle: register },
  { method: 'GET', path: /^\/v1\/invoices$/, call: 'invoices', handle: listInvoices },
  { method: 'GET', path: /^\/v1\/invoices\/([^/]+)$/, call: 'invoice', handle: fetchInvoice },
  { method: 'POST', path: /^\/v1\/invoices\/([^/]+)\/cancel$/, call: 'invoice_cancel', handle: cancelInvoice },
  { method: 'POST', path: /^\/v1\/invoices\/([^/]+)\/notify_by\/([^/]+)$/, call: 'invoice_notify', handle: notifyInvoice },
  { method: 'POST', path: /^\/v1\/customers$/, call: 'customer_create', handle: makeCustomer },
  { method: 'GET', path: /^\/v1\/customers$/, call: 'customers', handle: listCustomers },
  { method: 'GET', path: /^\/v1\/customers\/([^/]+)$/, call: 'customer', handle: fetchCustomer },
  { method: 'PUT', path: /^\/v1\/customers\/([^/]+)$/, call: 'customer_edit', handle: changeCustomer },
  { method: 'GET', path: /^\/v1\/customers\/([^/]+)\/tokens$/, call: 'tokens', handle: listTokens },
  { method: 'GET', path: new RegExp(`${tokenPath}$`), call: 'token', handle: fetchToken },
  { method: 'DELETE', path: new RegExp(`${tokenPath}$`), call: 'token_delete', handle: removeToken },
  { method: 'PUT', path: new RegExp(`${tokenPath}/cancel$`), call: 'token_cancel', handle: requestCancel },
  { method: 'POST', path: /^\/v1\/orders$/, call: 'order_create', handle: makeOrder },
  { method: 'GET', path: /^\/v1\/orders$/, call: 'orders', handle: listOrders },
  { method: 'POST', path: /^\/v1\/payments\/create\/recurring$/, call: 'recurring', handle: debit },
]

function register({ context, body }: Asked): Answer {
  const input = registrationInput(body, context.clock.now(), context.config)
  return json(200, registrationView(createRegistration(context, input), context.publicUrl))
}

function listInvoices(asked: Asked): Answer {
  const { context, request } = asked
  const receipt = request.query.get('receipt')
  const registrations = receipt === null ? context.store.newest('registration') : context.store.of('registration', receipt).reverse()
  return json(200, collection(page(request, registrations).map((one) => invoiceView(asked, one))))
}

function fetchInvoice(asked: Asked): Answer {
  return json(200, invoiceView(asked, registrationById(asked.context, asked.id)))
}

function invoiceView(asked: Asked, registration: Registration): Record<string, unknown> {
  return registrationView(isStale(asked) ? staleRegistration(registration) : registration, asked.context.publicUrl)
}

function cancelInvoice({ context, id }: Asked): Answer {
  return json(200, registrationView(cancelRegistration(context, registrationById(context, id)), context.publicUrl))
}

function notifyInvoice(asked: Asked): Answer {
  registrationById(asked.context, asked.id)
  return answerNotify(asked)
}

function makeCustomer({ context, body }: Asked): Answer {
  const { isExistingTaken, ...input } = customerInput(body)
  return json(200, customerView(createCustomer(context, input, isExistingTaken)))
}

function listCustomers({ context, request }: Asked): Answer {
  return json(200, collection(page(request, context.store.newest('customer')).map(customerView)))
}

function fetchCustomer({ context, id }: Asked): Answer {
  return json(200, customerView(customerById(context, id)))
}

function changeCustomer({ context, id, body }: Asked): Answer {
  const customer = customerById(context, id)
  const { name, email, contact } = customer
  const { isExistingTaken: _, ...input } = customerInput({ name, email, contact, ...body })
  return json(200, customerView(editCustomer(context, customer, { ...input, notes: input.notes ?? customer.notes })))
}

/** Expired and deleted tokens are not listed, and UPI ones only where the account saves them. */
function listTokens(asked: Asked): Answer {
  const { context, id } = asked
  const now = context.clock.now()
  const tokens = context.store
    .of('token', customerById(context, id).id)
    .filter(({ terms, is_deleted }) => !is_deleted && terms.expire_at > now && (terms.method !== 'upi' || context.config.listUpiTokens))
  return json(200, collection(tokens.reverse().map((token) => tokenView(isStale(asked) ? staleToken(token) : token))))
}

function fetchToken(asked: Asked): Answer {
  const token = ownToken(asked)
  return json(200, tokenView(isStale(asked) ? staleToken(token) : token))
}

function removeToken(asked: Asked): Answer {
  const token = ownToken(asked)
  if (token.is_deleted) throw new ProviderError(providerTexts.unknownId)
  deleteToken(asked.context, token)
  return json(200, { deleted: true })
}

function requestCancel(asked: Asked): Answer {
  return json(200, { status: cancelToken(asked.context, ownToken(asked)).status })
}

function makeOrder({ context, body }: Asked): Answer {
  const order = createDebitOrder(context, orderInput(body, context.clock.now(), context.config))
  const view = orderView(order)
  if (order.notification === undefined) return json(200, view)
  const { id, token_id, payment_after } = order.notification
  return json(200, { ...view, notification: { token_id, payment_after, id } })
}

function listOrders(asked: Asked): Answer {
  const { context, request } = asked
  const receipt = request.query.get('receipt')
  const orders: Iterable<Order> = receipt === null ? context.store.newest('order') : context.store.of('order', receipt).reverse()
  return json(200, collection(page(request, orders).map((order) => orderView(isStale(asked) ? staleOrder(order) : order))))
}

function debit({ context, body }: Asked): Answer {
  return json(200, { razorpay_payment_id: createDebit(context, debitInput(body)).id })
}

function registrationById({ store }: SandboxContext, id: string): Registration {
  return found(store.get('registration', id), 'inv', id)
}

function customerById({ store }: SandboxContext, id: string): Customer {
  return found(store.get('customer', id), 'cust', id)
}

/** A deleted UPI token is unknown; a deleted eMandate is known until its bank has cancelled it. */
function ownToken({ context, id, last }: Asked): Token {
  const customer = customerById(context, id)
  const token = found(context.store.get('token', last), 'token', last)
  if (token.customer_id !== customer.id || (token.is_deleted && token.terms.method === 'upi'))
    throw new ProviderError(providerTexts.unknownId)
  return token
}
