import type { Sql } from '../database/connect.ts'
import { findLinkKey, findLinkKeyByProviderId, type LinkKey } from './payment-store.ts'

/** Whose link it is that the provider names, by our reference or by its own id. */
export const findNamedLink = (sql: Sql, name: string): Promise<LinkKey | undefined> =>
  name.startsWith('plink_') ? findLinkKeyByProviderId(sql, name) : findLinkKey(sql, name)
