import { expect, it } from 'vitest'
import { isPan, maskPan } from './pan.ts'

it('shows the first five characters and the last, also of a PAN that is masked already', () => {
  expect(maskPan('ABCPE1234F')).toBe('ABCPE****F')
  expect(maskPan(maskPan('ABCPE1234F'))).toBe('ABCPE****F')
})

it('is five letters, four digits and a letter', () => {
  expect(isPan('ABCPE1234F')).toBe(true)
  for (const text of ['abcpe1234f', 'ABCP1234F', 'ABCPE123F', 'ABCPE12345', ' ABCPE1234F', 'ABCPE1234FF', ''])
    expect(isPan(text)).toBe(false)
})
