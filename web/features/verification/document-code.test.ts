import { expect, test } from 'vitest'
import { readDocumentCode } from './document-code.ts'

test.each([
  ['MV5H-NMZF-6D72-0GEE'],
  ['mv5h nmzf 6d72 0gee'],
  [' MV5HNMZF6D720GEE\n'],
  ['MV5H–NMZF–6D72–0GEE'],
  ['MV५H-NMZF-६D७२-०GEE'],
  ['https://kist.example/verify-document?code=MV5H-NMZF-6D72-0GEE'],
])('%j is the code as it is printed', (text) => expect(readDocumentCode(text)).toBe('MV5H-NMZF-6D72-0GEE'))

test.each([[''], ['MV5H-NMZF-6D72'], ['MV5H-NMZF-6D72-0GEE-1'], ['MV5H-NMZF-6D72-0GÉE'], ['https://kist.example/verify-document']])(
  '%j is no code',
  (text) => expect(readDocumentCode(text)).toBeNull(),
)
