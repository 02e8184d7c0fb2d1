import { isIP } from 'node:net'
import { operationKinds, recordOperationKinds } from '#domain/operations.ts'

/** Networks that @fastify/proxy-addr knows by name. */
const namedNetworks = ['loopback', 'linklocal', 'uniquelocal']

/**
 * Finds what is wrong with a list of trusted proxies. The server would throw an error at its start,
 * which names no setting.
 */
export function findProxyFault(given: string): string | null {
  const entries = given
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
  if (entries.length > 1 && entries.includes('none')) return 'must be none alone, or addresses without none'
  const invalid = entries.find((entry) => entry !== 'none' && !namedNetworks.includes(entry) && !isAddressOrNetwork(entry))
  return invalid === undefined
    ? null
    : `has ${invalid}, which is neither an address like 10.0.0.4, nor a network like 10.0.0.0/16, nor ${namedNetworks.join(', ')}; commas separate them`
}

function isAddressOrNetwork(entry: string): boolean {
  const [, address = '', prefix] = /^([^/]*)(?:\/([0-9]{1,3}))?$/.exec(entry) ?? []
  const version = isIP(address)
  if (version === 0) return false
  return prefix === undefined || (Number(prefix) >= 1 && Number(prefix) <= (version === 4 ? 32 : 128))
}

/** A limit of a kind without an amount would have no effect. */
const kindsWithoutAmount: readonly string[] = [...recordOperationKinds, 'rate_reset_withdraw']
const limitedKinds: readonly string[] = operationKinds.filter((kind) => !kindsWithoutAmount.includes(kind))

/** Finds what is wrong with a list of limits such as `charge_waive=500,charge_add=1000`. */
export function findLimitsFault(given: string): string | null {
  if (given === '') return null
  const limits = given.split(',').map((limit) => /^([a-z_]+)=[0-9]{1,9}$/.exec(limit)?.[1] ?? '')
  const invalid = limits.find((kind) => !limitedKinds.includes(kind))
  if (invalid !== undefined)
    return kindsWithoutAmount.includes(invalid)
      ? `has ${invalid}, a kind without an amount, which always needs a second person`
      : `must be kind=rupees, separated by commas; kinds are ${limitedKinds.join(', ')}`
  const repeated = limits.find((kind, index) => limits.indexOf(kind) !== index)
  return repeated === undefined ? null : `has ${repeated} twice`
}
