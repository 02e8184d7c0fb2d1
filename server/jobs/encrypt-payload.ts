import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export type EncryptedPayload = { sealed: string }

/**
 * Encrypts job payloads, so that no table contains a one-time code in clear text (docs/security.md
 * A14) while another process can still send it. The key is derived from the secret for this use
 * only.
 */
export function createPayloadCipher(secret: string): {
  encryptPayload(data: unknown): EncryptedPayload
  decryptPayload(payload: EncryptedPayload): unknown
} {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'kist job data', 32))
  return {
    encryptPayload(data) {
      const nonce = randomBytes(nonceBytes)
      const encryption = createCipheriv(cipher, key, nonce)
      const text = Buffer.concat([encryption.update(JSON.stringify(data), 'utf8'), encryption.final()])
      return { sealed: Buffer.concat([nonce, encryption.getAuthTag(), text]).toString('base64') }
    },
    decryptPayload({ sealed }) {
      const bytes = Buffer.from(sealed, 'base64')
      const decryption = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
      decryption.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      const text = Buffer.concat([decryption.update(bytes.subarray(nonceBytes + tagBytes)), decryption.final()])
      return JSON.parse(text.toString('utf8'))
    },
  }
}
