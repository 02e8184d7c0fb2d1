import { expect, it } from 'vitest'
import { maskPan } from './pan.ts'

it('shows the first five characters and the last, also of a PAN that is masked already', () => {
  expect(maskPan('ABCPE1234F')).toBe('ABCPE****F')
  expect(maskPan(maskPan('ABCPE1234F'))).toBe('ABCPE****F')
})
