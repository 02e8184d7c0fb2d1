import type { ApiError } from '#web/api/api-error.ts'
import type { AccessCategory } from '#web/session/access-reason.ts'

/** The form for assuming a borrower: the reason and the state of the request. */
export type AssumeForm = {
  category: AccessCategory | null
  text: string
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
  step: 'editing',
  error: null,
}

export function assumeReducer(form: AssumeForm, event: AssumeEvent): AssumeForm {
  if (event.type === 'failed') return form.step === 'submitting' ? { ...form, step: 'failed', error: event.error } : form
  if (form.step === 'submitting') return form
  const editing = { ...form, step: 'editing' as const, error: null }
  switch (event.type) {
    case 'category_chosen':
      return { ...editing, category: event.category }
    case 'text_edited':
      return { ...editing, text: event.text }
    case 'submitted':
      return { ...editing, step: 'submitting' }
  }
}
