import { createHmac } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import type { NetworkKind } from '../config/sign-in-config.ts'

type Network = { name: string; kind: NetworkKind }

/**
 * The networks that contain an address, the smallest first. An IPv6 line has at least a /64, often
 * a /56 or /48. A loopback address is counted like any other. Unreadable text counts as one address
 * of that name.
 */
export function findNetworks(remoteAddress: string): readonly [Network, ...Network[]] {
  const address = remoteAddress.replace(/^::ffff:(?=[0-9.]+$)/i, '').replace(/%.*$/, '')
  if (isIPv4(address))
    return [
      { name: address, kind: 'ipv4' },
      { name: `${address.split('.').slice(0, 3).join('.')}.0/24`, kind: 'ipv4Slash24' },
    ]
  if (!isIPv6(address)) return [{ name: `unreadable ${remoteAddress}`, kind: 'ipv4' }]
  const groups = splitGroups(address).map((group) => Number.parseInt(group, 16))
  const prefix = (bits: number) =>
    `${groups
      .slice(0, 4)
      .map((group, index) => (group & mask(bits - 16 * index)).toString(16))
      .join(':')}::/${bits}`
  return [
    { name: prefix(64), kind: 'ipv6Slash64' },
    { name: prefix(56), kind: 'ipv6Slash56' },
    { name: prefix(48), kind: 'ipv6Slash48' },
  ]
}

/**
 * The network by which codes to one phone are counted (IPv4 /24, IPv6 /48), as a keyed hash, so
 * that no address is stored with a phone.
 */
export function networkHash(key: string, remoteAddress: string): string {
  const { name } = findNetworks(remoteAddress).at(-1) ?? findNetworks(remoteAddress)[0]
  return createHmac('sha256', key).update(`network ${name}`).digest('base64url').slice(0, 22)
}

/** A mask of the first `bits` bits of a 16-bit group. */
const mask = (bits: number): number => (bits >= 16 ? 0xffff : bits <= 0 ? 0 : (0xffff << (16 - bits)) & 0xffff)

/** Splits an IPv6 address into its eight groups. */
function splitGroups(address: string): string[] {
  const withoutDots = address.toLowerCase().replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [head = '', tail] = withoutDots.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => '0')
  return [...first, ...zeros, ...last]
}
