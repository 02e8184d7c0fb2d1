import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { generateDocument } from '#contract/documents.ts'
import type { RequestOf } from '#contract/endpoint.ts'
import type { DocumentRefusal } from '#domain/documents.ts'
import { ApiError } from '#web/api/api-error.ts'
import { call } from '#web/api/call.ts'
import { getCallState } from '#web/ui/action-state.ts'
import { Banner } from '#web/ui/banner.tsx'
import type { ButtonState } from '#web/ui/button-class.ts'

/** The failed step; each has its own message (spec §8). */
type GenerateStep = 'generate' | 'no_address' | 'download'

class GenerateError extends Error {
  override readonly name = 'GenerateError'
  readonly step: GenerateStep
  constructor(step: GenerateStep, cause?: unknown) {
    super(step, { cause })
    this.step = step
  }
}

type GenerateOrder = { query: RequestOf<typeof generateDocument>['query']; filename: string }

/** Generates a document, fetches it and saves it as a download. */
export const useGenerate = () =>
  useMutation({
    mutationFn: async ({ query, filename }: GenerateOrder) => {
      saveFile(await fetchBytes(await generate(query)), filename)
    },
  })

async function generate(query: GenerateOrder['query']): Promise<string> {
  let url: string
  try {
    url = (await call(generateDocument, { query })).doc_url
  } catch (error) {
    // A successful response without a URL is not a failed call.
    const isGood = error instanceof ApiError && error.status !== null && error.status < 300
    throw new GenerateError(isGood ? 'no_address' : 'generate', error)
  }
  if (url === '') throw new GenerateError('no_address')
  return url
}

/** A statement has a few hundred kB; a slower download has stalled. */
const fileTimeoutMs = 60_000

async function fetchBytes(url: string): Promise<Blob> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(fileTimeoutMs) })
    if (response.ok) return new Blob([await response.blob()], { type: 'application/pdf' })
  } catch (error) {
    throw new GenerateError('download', error)
  }
  throw new GenerateError('download')
}

const stepText: Record<GenerateStep, MessageDescriptor> = {
  generate: msg`Failed to generate document, please retry`,
  no_address: msg`No document URL received`,
  download: msg`Failed to download file`,
}

/**
 * Whether the document is refused while the lender checks what the loan owes. That takes days: to
 * try again at once is no help.
 */
function isLoanChecked(error: unknown): boolean {
  const cause = error instanceof GenerateError ? error.cause : null
  return cause instanceof ApiError && cause.code === 'DocumentNotAvailable' && cause.problem?.refusal === loanUnknown
}
const loanUnknown: DocumentRefusal = 'loan_unknown'

/** The state of a document's button; `error`: to try again can help. */
export const getGenerateState = (generate: { isPending: boolean; isError: boolean; error: unknown }): ButtonState =>
  isLoanChecked(generate.error) ? 'normal' : getCallState(generate)

/** The message for a failed document (spec §8), and for one that is refused. */
export function GenerateFailure({ error }: { error: unknown }) {
  const { t, i18n } = useLingui()
  const step: GenerateStep = error instanceof GenerateError ? error.step : 'generate'
  return (
    <Banner tone="danger" live="alert" className="mt-3">
      {isLoanChecked(error) ? t`What this loan owes is being checked. Ask customer support for the document.` : i18n._(stepText[step])}
    </Banner>
  )
}

/** Saves bytes as a download. */
export function saveFile(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // The browser needs the URL until the download has started, which takes a moment on phones.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
