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

type Staff = Api & { url: string; signIn(phone: string): Promise<string> }
type GivenPaper = { lan: string; paper: string; filename: string; bytes: Buffer }

/** Uploads a paper as the maker, and publishes it as the checker. Both are phones. */
export async function publishPaper(api: Staff, { maker, checker }: Record<'maker' | 'checker', string>, given: GivenPaper): Promise<void> {
  const { lan, paper, filename, bytes } = given
  const token = await api.signIn(maker)
  const form = new FormData()
  form.append('lan', lan)
  form.append('paper', paper)
  form.append('file', new File([new Uint8Array(bytes)], filename, { type: 'application/pdf' }))
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${api.url}/api/v1/operations/loan-papers`, { method: 'POST', headers, body: form })
  if (!response.ok) throw new Error(`the paper was not uploaded: ${response.status}`)
  const { loan_paper: uploaded } = (await response.json()) as { loan_paper: { id: string } }
  const proposal = proposalOf(await propose(api, token, { kind: 'paper_publish', lan, input: { paper_id: uploaded.id } }))
  const { status } = await approve(api, await api.signIn(checker), proposal)
  if (status !== 200) throw new Error(`the paper was not published: ${status}`)
}
