import type { ApiError } from '#web/api/api-error.ts'
import { reasonTextMin, tidyText, type AccessCategory } from '#web/session/access-reason.ts'

/** The form for assuming a borrower: the reason and the state of the request. */
export type AssumeForm = {
  category: AccessCategory | null
  text: string
  /** What is missing; set by the first submit. */
  missing: { category: boolean; text: boolean }
  step: 'editing' | 'submitting' | 'failed'
  error: ApiError | null
}

export type AssumeEvent =
  | { type: 'category_chosen'; category: AccessCategory }
  | { type: 'text_edited'; text: string }
  | { type: 'submitted' }
  | { type: 'failed'; error: ApiError }

export const emptyForm: AssumeForm = {
  category: null,
  text: '',
  missing: { category: false, text: false },
  step: 'editing',
  error: null,
}

/** A reason needs a category and a text (the API does not require them, decision 16). */
export const isReasonGiven = (form: AssumeForm): boolean => form.category !== null && isTextLongEnough(form.text)

const isTextLongEnough = (text: string): boolean => Array.from(tidyText(text)).length >= reasonTextMin

export function assumeReducer(form: AssumeForm, event: AssumeEvent): AssumeForm {
  if (event.type === 'failed') return form.step === 'submitting' ? { ...form, step: 'failed', error: event.error } : form
  if (form.step === 'submitting') return form
  const editing = { ...form, step: 'editing' as const, error: null }
  switch (event.type) {
    case 'category_chosen':
      return { ...editing, category: event.category, missing: { ...form.missing, category: false } }
    case 'text_edited':
      return { ...editing, text: event.text, missing: { ...form.missing, text: false } }
    case 'submitted':
      if (isReasonGiven(form)) return { ...editing, step: 'submitting' }
      return { ...editing, missing: { category: form.category === null, text: !isTextLongEnough(form.text) } }
  }
}
