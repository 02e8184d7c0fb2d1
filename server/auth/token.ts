import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto'
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose'

/**
 * Bearer tokens are JWTs signed with Ed25519 (decision 4). The server uses only the session that
 * they name.
 */

const algorithm = 'EdDSA'
const issuer = 'kist'
const audience = 'kist-portal'
const type = 'JWT'
/** Tolerates a clock of another server that runs ahead; expiry has no tolerance. */
const issuedAheadSecondsMax = 60

type SessionClaims = {
  userId: string
  sessionId: string
  roles: readonly string[]
  assumedUserId: string | null
  issuedAt: Date
  /** Whole seconds. */
  expiresAt: Date
}

/** Signs with the first key. */
export async function signToken([keyPem = '']: readonly string[], claims: SessionClaims): Promise<string> {
  const { keyId, privateKey } = parseKeys(keyPem)
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
/** The verified content of a token. Times are whole seconds. */
type VerifiedToken = { claims: NamedSession; issuedAt: number; expiresAt: number }

/**
 * Reads the session that a token names; null if the token is malformed, not issued here,
 * expired, or issued in the future. Any of the keys may have signed it.
 */
export async function verifyToken(keyPems: readonly string[], token: string, now: Date): Promise<NamedSession | null> {
  const seconds = now.getTime() / 1_000
  const cache = getVerifiedTokens(keyPems)
  // Keyed by hash, so that the cache contains no usable token.
  const digest = hash('sha256', token, 'base64')
  const verified = cache.get(digest) ?? (await verify(keyPems, token, now))
  if (!verified) return null
  if (verified.issuedAt > seconds + issuedAheadSecondsMax || verified.expiresAt <= seconds) {
    cache.delete(digest)
    return null
  }
  if (!cache.has(digest)) addToCache(cache, digest, verified)
  return verified.claims
}

/**
 * Caches verified signatures, so that a process checks each token once. The session is read for
 * each request.
 */
const verifiedTokens = new WeakMap<readonly string[], Map<string, VerifiedToken>>()
/** Each takes about 350 bytes. */
const verifiedTokensMax = 50_000

function getVerifiedTokens(keyPems: readonly string[]): Map<string, VerifiedToken> {
  const cache = verifiedTokens.get(keyPems) ?? new Map<string, VerifiedToken>()
  verifiedTokens.set(keyPems, cache)
  return cache
}

/** Adds an entry, removing the oldest if the cache is full. */
function addToCache(cache: Map<string, VerifiedToken>, digest: string, verified: VerifiedToken): void {
  const [oldest] = cache.size >= verifiedTokensMax ? cache.keys() : []
  if (oldest !== undefined) cache.delete(oldest)
  cache.set(digest, verified)
}

/**
 * Whether each part is canonical base64url. The last character of a signature has four unused bits:
 * without this check sixteen spellings of one token would pass.
 */
const isCanonical = (token: string): boolean =>
  token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)

async function verify(keyPems: readonly string[], token: string, now: Date): Promise<VerifiedToken | null> {
  if (!isCanonical(token)) return null
  try {
    const keyId = decodeProtectedHeader(token).kid
    const key = keyPems.map(parseKeys).find((candidate) => candidate.keyId === keyId)
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
    // A malformed header throws a TypeError.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null
    throw error
  }
}

type Keys = { keyId: string; privateKey: KeyObject; publicKey: KeyObject }
const keysByPem = new Map<string, Keys>()

/**
 * Parses a key once, because parsing costs more than a signature. A process has one or two keys.
 */
export function parseKeys(keyPem: string): Keys {
  const cached = keysByPem.get(keyPem)
  if (cached) return cached
  const keys = { ...parsePublicKey(keyPem), privateKey: createPrivateKey(keyPem) }
  keysByPem.set(keyPem, keys)
  return keys
}

/** Reads the public key from a PEM of the key pair or of the public key alone. */
export function parsePublicKey(keyPem: string): Pick<Keys, 'keyId' | 'publicKey'> {
  const publicKey = createPublicKey(keyPem)
  const keyId = hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'base64url').slice(0, 16)
  return { keyId, publicKey }
}

/** The end of a token and its session: tokens expire at whole seconds. */
export const expiryAfter = (now: Date, seconds: number): Date => new Date((Math.floor(now.getTime() / 1_000) + seconds) * 1_000)
