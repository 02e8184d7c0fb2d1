import { describe, expect, test } from 'vitest'
import { checkUpload, noUpload, getReadyUpload, isSent, type UploadEvent, uploadReducer, type UploadState } from './upload-state.ts'

const file = new File(['x'], 'marks.pdf', { type: 'application/pdf' })
const other = new File(['y'], 'other.pdf', { type: 'application/pdf' })
const after = (...events: UploadEvent[]): UploadState => events.reduce(uploadReducer, noUpload)

const chosen: UploadEvent[] = [
  { type: 'file_chosen', file, problem: null },
  { type: 'type_chosen', documentType: 'Transcript' },
]
const failed: UploadEvent = { type: 'failed', error: new Error('gone'), fileRefused: false }

describe('an upload', () => {
  test('needs a file and a type', () => {
    expect(getReadyUpload(after())).toBeNull()
    expect(getReadyUpload(after({ type: 'file_chosen', file, problem: null }))).toBeNull()
    expect(getReadyUpload(after({ type: 'type_chosen', documentType: 'Others' }))).toBeNull()
    expect(getReadyUpload(after(...chosen))).toEqual({ file, type: 'Transcript' })
  })
  test('does not go without what is missing', () => {
    expect(after({ type: 'submitted' })).toBe(noUpload)
  })
  test('does not go with a file that has a problem', () => {
    const state = after(
      { type: 'file_chosen', file, problem: 'unsupported' },
      { type: 'type_chosen', documentType: 'Others' },
      { type: 'submitted' },
    )
    expect(state.step.name).toBe('choosing')
  })
  test('a better file takes the problem away', () => {
    const state = after({ type: 'file_chosen', file, problem: 'empty' }, { type: 'file_chosen', file: other, problem: null })
    expect(state).toMatchObject({ file: other, problem: null })
  })
  test('sends the copy of the file, and refuses a file that cannot be read', () => {
    const copy = new File(['x'], 'marks.pdf', { type: 'application/pdf' })
    expect(getReadyUpload(after(...chosen, { type: 'file_copied', file, copy }))).toEqual({ file: copy, type: 'Transcript' })
    const unreadable = after(...chosen, { type: 'submitted' }, { type: 'file_copied', file, copy: null }, failed)
    expect([unreadable.problem, getReadyUpload(unreadable)]).toEqual(['unreadable', null])
    // Another file was chosen meanwhile.
    const late = after(...chosen, { type: 'file_chosen', file: other, problem: null }, { type: 'file_copied', file, copy: null })
    expect(late).toMatchObject({ file: other, problem: null })
  })
  test('counts what has left, within bounds', () => {
    expect(after(...chosen, { type: 'submitted' }, { type: 'progressed', sent: 0.4 }).step).toEqual({ name: 'sending', sent: 0.4 })
    expect(after(...chosen, { type: 'submitted' }, { type: 'progressed', sent: 1.2 }).step).toEqual({ name: 'sending', sent: 1 })
  })
  test('is sent when nothing of it is left to send', () => {
    const sent = [0.999, 1].map((share) => isSent(after(...chosen, { type: 'submitted' }, { type: 'progressed', sent: share })))
    expect([isSent(after(...chosen)), ...sent]).toEqual([false, false, true])
  })
  test('keeps what was chosen after a failure, and goes again', () => {
    const state = after(...chosen, { type: 'submitted' }, failed)
    expect(state.step.name).toBe('failed')
    expect(getReadyUpload(state)).toEqual({ file, type: 'Transcript' })
    expect(uploadReducer(state, { type: 'submitted' }).step).toEqual({ name: 'sending', sent: 0 })
  })
  test('a file that the server refused does not go again: another one does, of the type that was chosen', () => {
    const state = after(...chosen, { type: 'submitted' }, { ...failed, fileRefused: true })
    expect(getReadyUpload(state)).toBeNull()
    expect(getReadyUpload(uploadReducer(state, { type: 'type_chosen', documentType: 'Others' }))).toBeNull()
    expect(getReadyUpload(uploadReducer(state, { type: 'file_chosen', file: other, problem: null }))).toEqual({
      file: other,
      type: 'Transcript',
    })
  })
  test('cancelled, it can go again; what comes late changes nothing', () => {
    const state = after(...chosen, { type: 'submitted' }, { type: 'cancelled' })
    expect(state.step.name).toBe('choosing')
    expect(uploadReducer(state, failed)).toBe(state)
    expect(uploadReducer(state, { type: 'progressed', sent: 0.5 })).toBe(state)
  })
  test('under way, neither file nor type changes', () => {
    const state = after(...chosen, { type: 'submitted' })
    expect(uploadReducer(state, { type: 'file_chosen', file: other, problem: null })).toBe(state)
    expect(uploadReducer(state, { type: 'type_chosen', documentType: 'Others' })).toBe(state)
  })
})

const bytesMax = 1000
const check = (name: string, type: string, size = 10) => checkUpload({ name, type, size }, bytesMax)

describe('a file before it is sent', () => {
  test.each([
    ['marks.pdf', 'application/pdf'],
    ['scan.bmp', 'image/bmp'],
    ['photo.jpg', 'image/jpeg'],
    ['photo.JPEG', 'image/jpeg'],
    ['screen.png', 'image/png'],
    ['picture.webp', 'image/webp'],
    ['photo', 'image/jpg'],
  ])('%s as %s may go', (name, type) => expect(check(name, type)).toBeNull())
  test.each([
    ['moving.gif', 'image/gif'],
    ['scan.tiff', 'image/tiff'],
    ['drawing.svg', 'image/svg+xml'],
    ['letter.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['no-type.pdf', ''],
    ['program.exe', 'application/pdf'],
  ])('%s as %s may not', (name, type) => expect(check(name, type)).toBe('unsupported'))
  test('an empty one is empty, whatever it is called', () => {
    expect(check('marks.pdf', 'application/pdf', 0)).toBe('empty')
    expect(check('scan.tiff', 'image/tiff', 0)).toBe('empty')
  })
  test('the limit itself may go, one byte more may not', () => {
    expect(check('marks.pdf', 'application/pdf', 1000)).toBeNull()
    expect(check('marks.pdf', 'application/pdf', 1001)).toBe('too_large')
  })
})
