import { describe, expect, test } from 'vitest'
import { checkUpload } from './check-upload.ts'

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
