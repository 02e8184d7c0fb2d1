import { expect, it } from 'vitest'
import { findDistributionFault } from './distribution-rules.ts'

it.each([
  ['insert into "receipts" ("loan_id") select "loan_id" from "loans" where "borrower_id" = $1', /adds to receipts/],
  ['insert into "loans" ("title") values ((select "title" from "loans" where "borrower_id" = $1))', /adds to loans/],
  ['select * from "payment_links" where "next_check_at" <= $1 limit 10 for update skip locked', /locks payment_links/],
  ['select "users".* from "users" inner join "user_phones" using ("user_id") where "phone" = $1', /joins user_phones with users/],
])('%s is refused', (text, fault) => {
  expect(findDistributionFault(text)).toMatch(fault)
})
it.each([
  ['select * from "loans" where "borrower_id" = $1 and "loan_id" = $2 for update'],
  ['select * from "webhook_inbox" where "processed_at" is null limit 10 for update skip locked'],
  ['insert into "loans" ("borrower_id") values ($1) on conflict do nothing'],
  ['select l.reference from payment_links l left join (select * from payment_references offset 0) r using (reference)'],
  ['select * from pg_class for update'],
])('%s is not', (text) => {
  expect(findDistributionFault(text)).toBeNull()
})
