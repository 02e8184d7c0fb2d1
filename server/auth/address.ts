import { isIPv4, isIPv6 } from 'node:net'

/**
 * What the limits count by: an IPv4 address as it is, an IPv6 one by its /64, which is what one line has. Null for the addresses of
 * this machine: there stands a proxy that does not say for whom it asks, and everyone would be counted as one.
 */
export function addressKey(remoteAddress: string): string | null {
  const address = remoteAddress.replace(/^::ffff:(?=[0-9.]+$)/i, '').replace(/%.*$/, '')
  if (isIPv4(address)) return address.startsWith('127.') ? null : address
  if (!isIPv6(address)) return null
  const groups = groupsOf(address)
  if (groups.slice(0, 7).every((group) => group === '0') && groups[7] === '1') return null
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** The eight groups of an IPv6 address, each without leading zeros. */
function groupsOf(address: string): string[] {
  const withoutDots = address.toLowerCase().replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [head = '', tail] = withoutDots.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => '0')
  return [...first, ...zeros, ...last].map((group) => group.replace(/^0+(?=.)/, ''))
}
