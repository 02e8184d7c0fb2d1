import { createHash, createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto'
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

type NamedSession = Pick<SessionClaims, 'userId' | 'sessionId' | 'assumedUserId' | 'roles'>
/** What a signature was found to be good for. Times are whole seconds. */
type Verified = { claims: NamedSession; issuedAt: number; expiresAt: number }

/** Which session a token names; null when it is broken, foreign, expired or from the future. Any of the keys may have signed it. */
export async function verifyToken(keyPems: readonly string[], token: string, now: Date): Promise<NamedSession | null> {
  const seconds = now.getTime() / 1_000
  const known = verifiedBy(keyPems)
  // By its hash, so that nothing in this process is a token that somebody could use.
  const digest = hash('sha256', token, 'base64')
  const verified = known.get(digest) ?? (await verify(keyPems, token, now))
  if (!verified) return null
  if (verified.issuedAt > seconds + issuedAheadSecondsMax || verified.expiresAt <= seconds) {
    known.delete(digest)
    return null
  }
  if (!known.has(digest)) remember(known, digest, verified)
  return verified.claims
}

/** A signature does not change its mind: what it costs to check is paid once a token and process. Its session is asked for each time. */
const verifiedTokens = new WeakMap<readonly string[], Map<string, Verified>>()
const verifiedTokensMax = 20_000

function verifiedBy(keyPems: readonly string[]): Map<string, Verified> {
  const known = verifiedTokens.get(keyPems) ?? new Map<string, Verified>()
  verifiedTokens.set(keyPems, known)
  return known
}

/** The oldest goes where there are too many. */
function remember(known: Map<string, Verified>, digest: string, verified: Verified): void {
  const [oldest] = known.size >= verifiedTokensMax ? known.keys() : []
  if (oldest !== undefined) known.delete(oldest)
  known.set(digest, verified)
}

/**
 * Whether each part is base64url as an encoder writes it. The last character of a signature has four bits to spare: without this check
 * sixteen spellings of one token would pass.
 */
const isCanonical = (token: string): boolean =>
  token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)

async function verify(keyPems: readonly string[], token: string, now: Date): Promise<Verified | null> {
  if (!isCanonical(token)) return null
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
    const { sub, sid, iat = Infinity, exp = 0, assumed_user_id: assumedUserId = null, roles } = payload
    if (typeof sub !== 'string' || typeof sid !== 'string' || !(assumedUserId === null || typeof assumedUserId === 'string')) return null
    const named = { userId: sub, sessionId: sid, assumedUserId, roles: Array.isArray(roles) ? roles.map(String) : [] }
    return { claims: named, issuedAt: iat, expiresAt: exp }
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
