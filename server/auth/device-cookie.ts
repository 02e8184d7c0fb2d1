import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { dayMs } from '#domain/durations.ts'

/** A device stays known for this many days after its last sign-in. */
export const deviceLifetimeDays = 180
/** The people that one browser's cookie remembers, the latest first. */
const phonesMax = 5

export type DevicePerson = { userId: string; phone: string }

/**
 * The content of the cookie: a random id, and for each phone a proof of its sign-in. It contains no
 * name and no phone.
 */
type DeviceCookie = { id: string; proofs: readonly Proof[] }
type Proof = { issueDay: number; mac: string }

/**
 * The person's device hash in sign_in_devices, if the cookie proves a sign-in with this phone on
 * this browser in the last 180 days; else null. The caller must check that the row still exists.
 */
export function provenDevice(key: string, cookie: string | null, person: DevicePerson, now: Date): Buffer | null {
  const device = parse(cookie)
  if (!device) return null
  const isProven = device.proofs.some((proof) => isValid(proof, now) && isPersonsProof(key, device.id, proof, person))
  return isProven ? deviceHash(key, device.id, person.userId) : null
}

/** The person's device hash on this browser, proven or not; null without a cookie. */
export function readDeviceHash(key: string, cookie: string | null, userId: string): Buffer | null {
  const device = parse(cookie)
  return device && deviceHash(key, device.id, userId)
}

/**
 * Issues the cookie after a sign-in: the browser's id or a new one, this person's proof, and the
 * proofs of up to four others.
 *
 * @returns the cookie's text and the person's device hash.
 */
export function issueDeviceCookie(
  key: string,
  cookie: string | null,
  person: DevicePerson,
  now: Date,
): { cookie: string; deviceHash: Buffer } {
  const { id, proofs } = parse(cookie) ?? { id: randomBytes(16).toString('base64url'), proofs: [] }
  const others = proofs.filter((proof) => isValid(proof, now) && !isPersonsProof(key, id, proof, person))
  const issueDay = toIssueDay(now)
  const all = [{ issueDay, mac: computeMac(key, id, person, issueDay) }, ...others].slice(0, phonesMax)
  return { cookie: [id, ...all.map(({ issueDay: day, mac }) => `${day}-${mac}`)].join('.'), deviceHash: deviceHash(key, id, person.userId) }
}

/** Null for a cookie that Kist has not written. */
function parse(cookie: string | null): DeviceCookie | null {
  if (cookie === null || !/^[\w-]{22}(\.[0-9]{1,7}-[\w-]{43}){1,5}$/.test(cookie)) return null
  const [id = '', ...proofs] = cookie.split('.')
  return {
    id,
    proofs: proofs.map((proof) => ({ issueDay: Number(proof.slice(0, proof.indexOf('-'))), mac: proof.slice(proof.indexOf('-') + 1) })),
  }
}

const toIssueDay = (at: Date): number => Math.floor(at.getTime() / dayMs)

function isValid({ issueDay }: Proof, now: Date): boolean {
  return issueDay > toIssueDay(now) - deviceLifetimeDays && issueDay <= toIssueDay(now) + 1
}

function isPersonsProof(key: string, id: string, { issueDay, mac }: Proof, person: DevicePerson): boolean {
  return timingSafeEqual(Buffer.from(mac), Buffer.from(computeMac(key, id, person, issueDay)))
}

/**
 * All parts have a fixed length (id, user id) or are digits (phone, day), so no two inputs collide.
 */
function computeMac(key: string, id: string, { userId, phone }: DevicePerson, issueDay: number): string {
  return createHmac('sha256', key).update(`proof ${id} ${userId} ${phone} ${issueDay}`).digest('base64url')
}

function deviceHash(key: string, id: string, userId: string): Buffer {
  return createHmac('sha256', key).update(`device ${id} ${userId}`).digest()
}
