import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose'

/** Bearer tokens: JWTs signed with Ed25519 (decision 4). The server trusts none of their claims beyond whose session they name. */

const algorithm = 'EdDSA'
const issuer = 'kist'
const audience = 'kist-portal'
const type = 'JWT'
/** Another server's clock may run ahead a little; the end of a token has no such grace. */
const issuedAheadSecondsMax = 60

export type SessionClaims = {
  userId: string
  sessionId: string
  roles: readonly string[]
  assumedUserId: string | null
  issuedAt: Date
  /** Whole seconds. */
  expiresAt: Date
}

/** The first of the keys signs. */
export async function signToken([keyPem = '']: readonly string[], claims: SessionClaims): Promise<string> {
  const { keyId, privateKey } = keysOf(keyPem)
  return new SignJWT({
    sid: claims.sessionId,
    roles: claims.roles,
    ...(claims.assumedUserId !== null && { assumed_user_id: claims.assumedUserId }),
  })
    .setProtectedHeader({ alg: algorithm, kid: keyId, typ: type })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(claims.userId)
    .setIssuedAt(claims.issuedAt)
    .setExpirationTime(claims.expiresAt)
    .sign(privateKey)
}

/** Which session a token names; null when it is broken, foreign, expired or from the future. Any of the keys may have signed it. */
export async function verifyToken(
  keyPems: readonly string[],
  token: string,
  now: Date,
): Promise<Pick<SessionClaims, 'userId' | 'sessionId' | 'assumedUserId'> | null> {
  try {
    const keyId = decodeProtectedHeader(token).kid
    const key = keyPems.map(keysOf).find((known) => known.keyId === keyId)
    if (!key) return null
    const { payload } = await jwtVerify(token, key.publicKey, {
      algorithms: [algorithm],
      issuer,
      audience,
      typ: type,
      currentDate: now,
      requiredClaims: ['sub', 'sid', 'iat', 'exp'],
    })
    const { sub, sid, iat = Infinity, assumed_user_id: assumedUserId = null } = payload
    if (iat > now.getTime() / 1_000 + issuedAheadSecondsMax) return null
    if (typeof sub !== 'string' || typeof sid !== 'string' || !(assumedUserId === null || typeof assumedUserId === 'string')) return null
    return { userId: sub, sessionId: sid, assumedUserId }
  } catch (error) {
    // The header is not even one: a TypeError.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null
    throw error
  }
}

type Keys = { keyId: string; privateKey: KeyObject; publicKey: KeyObject }
const keysByPem = new Map<string, Keys>()

/** Reading a key costs more than a signature. A process knows one or two. */
export function keysOf(keyPem: string): Keys {
  const known = keysByPem.get(keyPem)
  if (known) return known
  const keys = { ...publicKeyOf(keyPem), privateKey: createPrivateKey(keyPem) }
  keysByPem.set(keyPem, keys)
  return keys
}

/** What is enough to check a signature. The PEM may be of the whole key or of its public half alone. */
export function publicKeyOf(keyPem: string): Pick<Keys, 'keyId' | 'publicKey'> {
  const publicKey = createPublicKey(keyPem)
  const keyId = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
    .slice(0, 16)
  return { keyId, publicKey }
}
