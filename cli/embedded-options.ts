import { join } from 'node:path'
import type { Config } from '#server/config/config.ts'
import type { EmbeddedOptions } from '#server/database/embedded.ts'

/** The embedded PostgreSQL of these settings. */
export const embeddedOptions = ({ dataDirectory }: Config): EmbeddedOptions => ({
  directory: join(dataDirectory, 'postgres'),
  durable: true,
})
