import { describe, expect, it } from 'vitest'
import { withoutPort } from '../http/forwarded-addresses.ts'
import { networkHash, findNetworks } from './address.ts'

const namesOf = (address: string) => findNetworks(address).map(({ name }) => name)

describe('the networks that limits count by', () => {
  it.each([
    ['203.0.113.7', ['203.0.113.7', '203.0.113.0/24']],
    ['::ffff:203.0.113.7', ['203.0.113.7', '203.0.113.0/24']],
    ['2001:db8:1:2345:3:4:5:6', ['2001:db8:1:2345::/64', '2001:db8:1:2300::/56', '2001:db8:1:0::/48']],
    ['2001:0db8:0001:0002::9', ['2001:db8:1:2::/64', '2001:db8:1:0::/56', '2001:db8:1:0::/48']],
    ['2001:db8::1', ['2001:db8:0:0::/64', '2001:db8:0:0::/56', '2001:db8:0:0::/48']],
    ['64:ff9b::203.0.113.7', ['64:ff9b:0:0::/64', '64:ff9b:0:0::/56', '64:ff9b:0:0::/48']],
    ['fe80::1%eth0', ['fe80:0:0:0::/64', 'fe80:0:0:0::/56', 'fe80:0:0:0::/48']],
    ['127.0.0.1', ['127.0.0.1', '127.0.0.0/24']],
    ['::1', ['0:0:0:0::/64', '0:0:0:0::/56', '0:0:0:0::/48']],
    ['::ffff:127.0.0.1', ['127.0.0.1', '127.0.0.0/24']],
    ['', ['unreadable ']],
    ['unknown', ['unreadable unknown']],
    ['203.0.113.7.8', ['unreadable 203.0.113.7.8']],
  ])('of %s are %j', (address, names) => {
    expect(namesOf(address)).toEqual(names)
  })

  it('of a phone are distinguished by a keyed hash of the /24 or the /48', () => {
    const hash = (address: string, key = 'a key of the tests') => networkHash(key, address)
    expect(hash('203.0.113.7')).toBe(hash('203.0.113.200'))
    expect(hash('203.0.113.7')).not.toBe(hash('203.0.114.7'))
    expect(hash('2001:db8:1:2::3')).toBe(hash('2001:db8:1:ffff::4'))
    expect(hash('2001:db8:1:2::3')).not.toBe(hash('2001:db8:2:2::3'))
    expect(hash('203.0.113.7')).not.toBe(hash('203.0.113.7', 'another key'))
    expect(hash('203.0.113.7')).not.toContain('203')
  })
})

describe('an entry of X-Forwarded-For', () => {
  it.each([
    ['203.0.113.5', '203.0.113.5'],
    [' 203.0.113.5:4711 ', '203.0.113.5'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['"[2001:db8::1]:4711"', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:203.0.113.5', '::ffff:203.0.113.5'],
    ['203.0.113.999:4711', '203.0.113.999:4711'],
    ['203.0.113.5:port', '203.0.113.5:port'],
    ['_hidden', '_hidden'],
    ['two words', 'two_words'],
    ['', 'unknown'],
    ['x'.repeat(5_000), 'x'.repeat(100)],
  ])('%j is %j', (entry, address) => {
    expect(withoutPort(entry)).toBe(address)
  })
})
