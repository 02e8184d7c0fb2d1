import { pathTo, type Body, type Call } from './call.ts'
import { document } from './entities.ts'
import { both, exactly, listOf, matching, object, positive, webAddress, type Shape } from './shape.ts'
import { kept, type Visit } from './visit.ts'

const ofLoan = (visit: Visit) => ({ lead_id: kept(visit, 'lead') })

export const documentCalls: readonly Call[] = [
  pathTo('/portal/upload-document', {
    method: 'POST',
    body: (visit) => {
      const form = new FormData()
      form.set('document_type', 'Transcript')
      form.set('lead_id', kept(visit, 'lead'))
      form.set('partner_loan_id', kept(visit, 'partner loan'))
      form.set('lan', kept(visit, 'lan'))
      form.set('file', new Blob([Buffer.from(smallPicture, 'base64')], { type: 'image/png' }), 'transcript.png')
      return form
    },
    answer: both(document, object({ metadata: object({ document_type: exactly('Transcript'), filename: exactly('transcript.png') }) })),
    keep: (body, visit) => void visit.kept.set('document', String(body['document_id'])),
  }),
  pathTo('/portal/documents', {
    query: ofLoan,
    answer: object({ documents: listOf(document, 1) }),
    answerNow: (visit) => holds('documents', 'document_id', kept(visit, 'document')),
  }),
  pathTo('/portal/documents/{document_id}', {
    at: (visit) => `/portal/documents/${kept(visit, 'document')}`,
    isFile: true,
    answer: object({ content_type: matching(/^image\/png/), size: positive }),
  }),
  pathTo('/portal/generate-document', {
    query: (visit) => ({ ...ofLoan(visit), doc_type: 'statement_of_account' }),
    answer: object({ doc_url: webAddress }),
    keep: async (body) => expectPdf(String(body['doc_url'])),
  }),
]

/** The URL of a generated document needs no authorization header. */
async function expectPdf(url: string): Promise<void> {
  const response = await fetch(url)
  const bytes = Buffer.from(await response.arrayBuffer())
  if (!response.ok || bytes.subarray(0, 5).toString('latin1') !== '%PDF-') throw new Error(`doc_url answered ${response.status} and no PDF`)
}

const holds =
  (list: string, field: string, value: string): Shape =>
  (body, at) =>
    ((body as Body)[list] as Body[]).some((entry) => entry[field] === value) ? [] : [`${at}${list} has none with ${field} ${value}`]

/** A picture of one pixel. */
const smallPicture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
