import type { previewOperation as call } from '#contract/operations.ts'
import type { UseCase } from '../http/route.ts'
import { computePreview } from './compute-preview.ts'
import { decodeOperation } from './run-operation.ts'

/** Computes the effect of an operation. Only the read is recorded. */
export const previewOperation: UseCase<typeof call> = async (context, caller, { body, origin }) => {
  const operation = decodeOperation(body.kind, body.input)
  const { outcome } = await computePreview(context, caller, operation, { lan: body.lan, reason: 'preview', origin })
  return outcome.preview
}
