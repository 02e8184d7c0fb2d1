import * as z from 'zod/mini'
import type { Preview } from '#contract/operation-kinds.ts'
import type { ApiError } from '#web/api/api-error.ts'
import type { OperationKind } from '#domain/operations.ts'
import { readTyped } from '#web/session/typed-entry.ts'
import type { Values } from './operation-fields.ts'

/** The reason of a proposal has at most this many characters. */
export const proposalReasonMax = 300

/** Loans whose figures are computed, and all of them. */
export type Progress = { done: number; total: number }

/** The dialog that proposes: inputs and reason, then the preview, then the proposal. */
export type OperationForm = {
  values: Values
  reason: string
  step: 'editing' | 'previewing' | 'previewed' | 'proposing'
  /** How far a long computation in the background has come; null of a short one. */
  progress: Progress | null
  /** The effect of exactly these values; null before it is asked for and after an edit. */
  preview: Preview | null
  /** The figures changed between preview and proposal, and `preview` is the new one. */
  isRenewed: boolean
  error: ApiError | null
}

export type OperationFormEvent =
  | { type: 'edited'; name: string; text: string }
  | { type: 'reason_edited'; text: string }
  | { type: 'submitted' }
  | { type: 'progressed'; progress: Progress }
  | { type: 'previewed'; preview: Preview }
  | { type: 'failed'; error: ApiError; preview: Preview | null }

const typedOperation = z.object({ values: z.record(z.string(), z.string()), reason: z.string() })
type TypedOperation = z.output<typeof typedOperation>

/** Where the entry of a dialog is kept; the review that it resolves is one of its values. */
export const getOperationPlace = (kind: OperationKind, lan: string | null, { review_id: review = '' }: Values): string =>
  ['operation', kind, lan, review].join(' ')

/** What was typed in such a dialog, and not closed or proposed. */
export const readTypedOperation = (place: string): TypedOperation | null => readTyped(place, typedOperation)

/** A new form, with what was typed before. */
export const startForm = ({ values, reason }: TypedOperation): OperationForm => ({
  values,
  reason,
  step: 'editing',
  progress: null,
  preview: null,
  isRenewed: false,
  error: null,
})

export const isBusy = ({ step }: OperationForm): boolean => step === 'previewing' || step === 'proposing'

/**
 * Whether the dialog may be closed: a computation in the background needs nobody to wait for it,
 * but a proposal is sent only when its figures are there.
 */
export const mayLeave = (form: OperationForm): boolean => !isBusy(form) || (form.step === 'previewing' && form.progress !== null)

export function operationReducer(form: OperationForm, event: OperationFormEvent): OperationForm {
  switch (event.type) {
    case 'edited': {
      if (isBusy(form)) return form
      const values = { ...form.values, [event.name]: event.text }
      return { ...form, values, step: 'editing', preview: null, isRenewed: false, error: null }
    }
    case 'reason_edited':
      // The reason changes no figure: the preview stays.
      return isBusy(form) ? form : { ...form, reason: event.text, error: null }
    case 'submitted':
      if (isBusy(form)) return form
      return { ...form, step: form.preview === null ? 'previewing' : 'proposing', error: null }
    case 'progressed':
      return isBusy(form) ? { ...form, progress: event.progress } : form
    case 'previewed':
      return form.step === 'previewing' ? { ...form, step: 'previewed', progress: null, preview: event.preview } : form
    case 'failed': {
      if (!isBusy(form)) return form
      const preview = event.preview ?? form.preview
      const step = preview === null ? 'editing' : 'previewed'
      return {
        ...form,
        step,
        preview,
        progress: null,
        isRenewed: event.preview !== null,
        error: event.preview === null ? event.error : null,
      }
    }
  }
}
