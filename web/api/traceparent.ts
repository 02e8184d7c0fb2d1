/** Names a trace that begins with this call (W3C Trace Context), so that what the server does is found under the browser's id. */
export const newTraceparent = (): string => `00-${hexOf(16)}-${hexOf(8)}-01`

const hexOf = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('')
