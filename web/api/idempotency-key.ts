/** A name for one intent, of 128 random bits. Not `randomUUID`, which a page without TLS does not have. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
