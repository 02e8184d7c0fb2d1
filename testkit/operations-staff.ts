import type { Answer } from './start-app.ts'

type Api = { post(path: string, body: unknown, token?: string, headers?: Record<string, string>): Promise<Answer> }
export type Asked = { kind: string; lan?: string; input: Record<string, unknown> }
type WireProposal = { id: string; state: string; preview: { preview_hash: string } } & Record<string, unknown>

/** The reason of proposals in tests. */
export const proposalReason = 'The bank sent the statement of the day.'

/** Previews and proposes as one person. */
export async function propose(api: Api, token: string, asked: Asked, headers: Record<string, string> = {}): Promise<Answer> {
  const preview = await api.post('/operations/previews', asked, token)
  if (preview.status !== 200) return preview
  const body = { ...asked, reason: proposalReason, preview_hash: preview.body['preview_hash'] }
  return api.post('/operations/proposals', body, token, headers)
}

/** The proposal of an answer; the answer as the error if there is none. */
export function proposalOf({ status, body }: Answer): WireProposal {
  if (status !== 200 || body['proposal'] === undefined) throw new Error(`no proposal: ${status} ${JSON.stringify(body)}`)
  return body['proposal'] as WireProposal
}

/** Approves a proposal with the preview that it shows, or with another one. */
export const approve = (api: Api, token: string, proposal: WireProposal, given: Record<string, unknown> = {}): Promise<Answer> =>
  api.post(`/operations/proposals/${proposal.id}/approve`, { preview_hash: proposal.preview.preview_hash, ...given }, token)
