import { answerNotify, isStale, linkById, page, type Asked, type Route } from './api-request.ts'
import type { Link } from './entities.ts'
import { json, type Answer } from './http.ts'
import { createInput, editInput } from './link-input.ts'
import { cancelLink, createLink, editLink } from './links.ts'
import { linkView, staleLink } from './views.ts'
import type { SandboxContext } from './context.ts'

/** `/v1/payment_links`. */
export const linkRoutes: readonly Route[] = [
  { method: 'POST', path: /^\/v1\/payment_links$/, call: 'create', handle: create },
  { method: 'GET', path: /^\/v1\/payment_links$/, call: 'list', handle: list },
  { method: 'GET', path: /^\/v1\/payment_links\/([^/]+)$/, call: 'fetch', handle: fetchLink },
  { method: 'PATCH', path: /^\/v1\/payment_links\/([^/]+)$/, call: 'edit', handle: edit },
  { method: 'POST', path: /^\/v1\/payment_links\/([^/]+)\/cancel$/, call: 'cancel', handle: cancel },
  { method: 'POST', path: /^\/v1\/payment_links\/([^/]+)\/notify_by\/([^/]+)$/, call: 'notify', handle: notify },
]

function create({ context, body }: Asked): Answer {
  const input = createInput(body, context.clock.now(), context.config)
  return json(200, linkView(createLink(context, input), context.publicUrl))
}

function list(asked: Asked): Answer {
  const { context, request } = asked
  const links = page(request, listed(context, request.query.get('reference_id'), request.query.get('payment_id')))
  const payment_links = links.map((link) => linkView(isStale(asked) ? staleLink(link) : link, context.publicUrl))
  return json(200, { payment_links })
}

/** The links that match the filters, newest first. */
function listed({ store }: SandboxContext, reference: string | null, paymentId: string | null): Iterable<Link> {
  if (reference === null && paymentId === null) return store.newest('link')
  const payment = store.get('payment', paymentId ?? '')
  const link = reference === null ? store.get('link', payment?.link_id ?? '') : store.linkByReference(reference)
  const isAsked =
    link !== undefined &&
    (reference === null || link.reference_id === reference) &&
    (paymentId === null || (link.payments ?? []).some((one) => one.payment_id === paymentId))
  return isAsked ? [link] : []
}

function fetchLink(asked: Asked): Answer {
  const link = linkById(asked.context, asked.id)
  return json(200, linkView(isStale(asked) ? staleLink(link) : link, asked.context.publicUrl))
}

function edit({ context, id, body }: Asked): Answer {
  const link = editLink(context, linkById(context, id), editInput(body, context.clock.now()))
  return json(200, linkView(link, context.publicUrl))
}

function cancel({ context, id }: Asked): Answer {
  return json(200, linkView(cancelLink(context, linkById(context, id)), context.publicUrl))
}

function notify(asked: Asked): Answer {
  linkById(asked.context, asked.id)
  return answerNotify(asked)
}
