import { describe, expect, it } from 'vitest'
import { createSeal } from './encrypt-payload.ts'

const secret = 'a secret of at least thirty-two characters'
const data = { to: '+919000000001', text: 'आपका कोड 123456', code: '123456' }

describe('a seal', () => {
  it('opens to what was sealed, in another process too', () => {
    expect(createSeal(secret).open(createSeal(secret).seal(data))).toEqual(data)
  })

  it('A14: shows nothing of its content, and never the same text twice', () => {
    const { seal } = createSeal(secret)
    const { sealed } = seal(data)
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toMatch(/123456|9000000001/)
    expect(seal(data).sealed).not.toBe(sealed)
  })

  it('does not open when edited, cut or made under another secret', () => {
    const { seal, open } = createSeal(secret)
    const bytes = Buffer.from(seal(data).sealed, 'base64')
    for (const index of [0, 12, 28, bytes.length - 1]) {
      const edited = Buffer.from(bytes)
      edited[index] = (edited[index] ?? 0) ^ 1
      expect(() => open({ sealed: edited.toString('base64') })).toThrow()
    }
    expect(() => open({ sealed: bytes.subarray(0, 20).toString('base64') })).toThrow()
    expect(() => createSeal(`${secret}!`).open({ sealed: bytes.toString('base64') })).toThrow()
  })
})
