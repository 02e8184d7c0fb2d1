import { commitChanges, type SandboxContext } from '../context.ts'
import { ownTexts, ProviderError } from '../errors.ts'
import type { Customer } from './entities.ts'
import type { CustomerInput } from './input.ts'

/**
 * Creates a customer; where one with the same email address and contact exists, returns that one
 * if `isExistingTaken`, else throws.
 */
export function createCustomer(context: SandboxContext, input: CustomerInput, isExistingTaken: boolean): Customer {
  const existing = context.store.customerBy(input.email, input.contact)
  if (existing && !isExistingTaken) throw new ProviderError(ownTexts.customerExists)
  if (existing) return existing
  const customer: Customer = { ...input, id: context.chance.id('cust'), created_at: context.clock.now() }
  commitChanges(context, [['customer', customer]], [])
  return customer
}

export function editCustomer(context: SandboxContext, customer: Customer, input: CustomerInput): Customer {
  const holder = context.store.customerBy(input.email, input.contact)
  if (holder && holder.id !== customer.id) throw new ProviderError(ownTexts.customerExists)
  const edited: Customer = { ...customer, ...input }
  commitChanges(context, [['customer', edited]], [])
  return edited
}
