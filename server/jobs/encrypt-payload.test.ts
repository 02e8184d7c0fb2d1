import { describe, expect, it } from 'vitest'
import { createPayloadCipher } from './encrypt-payload.ts'

const secret = 'a secret of at least thirty-two characters'
const data = { to: '+919000000001', text: 'आपका कोड 123456', code: '123456' }

describe('an encrypted payload', () => {
  it('decrypts to the original, in another process too', () => {
    expect(createPayloadCipher(secret).decryptPayload(createPayloadCipher(secret).encryptPayload(data))).toEqual(data)
  })

  it('A14: reveals nothing of its content, and is never the same twice', () => {
    const { encryptPayload } = createPayloadCipher(secret)
    const { sealed } = encryptPayload(data)
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toMatch(/123456|9000000001/)
    expect(encryptPayload(data).sealed).not.toBe(sealed)
  })

  it('cannot be decrypted if it was edited, truncated or made with another secret', () => {
    const { encryptPayload, decryptPayload } = createPayloadCipher(secret)
    const bytes = Buffer.from(encryptPayload(data).sealed, 'base64')
    for (const index of [0, 12, 28, bytes.length - 1]) {
      const edited = Buffer.from(bytes)
      edited[index] = (edited[index] ?? 0) ^ 1
      expect(() => decryptPayload({ sealed: edited.toString('base64') })).toThrow()
    }
    expect(() => decryptPayload({ sealed: bytes.subarray(0, 20).toString('base64') })).toThrow()
    expect(() => createPayloadCipher(`${secret}!`).decryptPayload({ sealed: bytes.toString('base64') })).toThrow()
  })
})
