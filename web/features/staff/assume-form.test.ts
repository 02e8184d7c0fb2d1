import { expect, test } from 'vitest'
import { ApiError } from '#web/api/api-error.ts'
import { assumeReducer, emptyForm, type AssumeEvent, type AssumeForm } from './assume-form.ts'

const error = new ApiError({ kind: 'forbidden', status: 403 })
const walk = (events: AssumeEvent[], from: AssumeForm = emptyForm): AssumeForm => events.reduce(assumeReducer, from)
const chosen: AssumeEvent = { type: 'category_chosen', category: 'Payment' }
const text = (words: string): AssumeEvent => ({ type: 'text_edited', text: words })
const submit: AssumeEvent = { type: 'submitted' }

const filled = walk([chosen, text('Ticket 48213')])
const submitting = walk([submit], filled)

test('a whole form is sent once, and does not change meanwhile', () => {
  expect(submitting.step).toBe('submitting')
  expect(walk([submit, chosen, text('another reason')], submitting)).toEqual(submitting)
})
test('a failure is shown, keeps the words, and is cleared by editing or by trying again', () => {
  const failed = walk([{ type: 'failed', error }], submitting)
  expect(failed).toMatchObject({ step: 'failed', error, text: 'Ticket 48213' })
  expect(walk([text('Ticket 48214')], failed).error).toBeNull()
  expect(walk([submit], failed)).toMatchObject({ step: 'submitting', error: null })
})
test('a failure that nobody waits for changes nothing', () => expect(walk([{ type: 'failed', error }], filled)).toEqual(filled))
