import type { Command } from 'commander'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import type { Sql } from '#server/database/connect.ts'
import { reasonOf } from '#server/http/decode.ts'
import { findProduct, insertProduct } from '#server/loans/product-store.ts'
import { findNewProductFault, productTerms } from '#server/loans/product-terms.ts'
import { logOperatorAct, type Operator } from '#server/staff/operator.ts'
import { CommandError } from '#cli/command-error.ts'
import { readInput } from '#cli/read-input.ts'
import { changesData, withOperator, type OperatorContext } from '#cli/operator-context.ts'

/** One product version of a file; `terms` in rupees and percent, as in the API. */
const productFile = z.object({
  product_code: z.string().check(z.regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'must be lower-case letters, digits, - and _')),
  product_version: z.int().check(z.gte(1), z.lte(1_000_000)),
  terms: z.strictObject(productTerms.shape),
})

/** `kist product load`: product versions from a JSON file (decision 50). */
export function addProductCommands(program: Command): void {
  const product = program.command('product').description('what a loan product decides for its loans')
  changesData(product.command('load'))
    .description('load a product version, or an array of them; a version that is loaded never changes')
    .argument('<file>', 'JSON; - reads standard input')
    .action(async (file: string, _options: object, command: Command) => {
      const text = readInput(file)
      for (const line of await withOperator(command, (context) => load(context, text))) console.log(line)
    })
}

/**
 * Loads all or none.
 *
 * @returns a line for each product.
 * @throws CommandError that names the fault.
 */
export function load({ database, clock, operator }: OperatorContext, text: string): Promise<string[]> {
  const given = parse(text)
  return database.asSystem(async (sql) => {
    const lines: string[] = []
    for (const product of Array.isArray(given) ? given : [given]) lines.push(await loadOne(sql, product, operator, clock.now()))
    return lines
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError('The product file is not JSON')
  }
}

async function loadOne(sql: Sql, given: unknown, operator: Operator, now: Date): Promise<string> {
  const parsed = z.safeDecode(productFile, given as z.input<typeof productFile>, { reportInput: true })
  if (!parsed.success)
    throw new CommandError(
      `The product is not right: ${parsed.error.issues.map((issue) => `${issue.path.join('.') || 'product'} ${reasonOf(issue)}`).join('; ')}`,
    )
  const { product_code: code, product_version: version, terms } = parsed.data
  const stored = z.encode(productTerms, terms)
  const known = await findProduct(sql, code, version)
  if (known) {
    if (!isDeepStrictEqual(known.terms, JSON.parse(JSON.stringify(stored))))
      throw new CommandError(`Product ${code} version ${version} is loaded with other terms; give the new terms a new version`)
    return `unchanged: product ${code} version ${version} was loaded before`
  }
  const fault = findNewProductFault(terms)
  if (fault !== null) throw new CommandError(`The product is not right: ${code} version ${version}: ${fault}`)
  await insertProduct(sql, code, version, JSON.stringify(stored), now)
  await logOperatorAct(sql, operator, { at: now, subjectId: `product:${code}`, action: 'product_loaded', detail: { version } })
  return `loaded: product ${code} version ${version}`
}
