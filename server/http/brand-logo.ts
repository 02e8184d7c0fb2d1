import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'

export const brandLogoPath = '/brand/logo.svg'

/** The lender's logo, read once at start. Opened by itself it may do nothing but be seen. */
export function serveBrandLogo(app: FastifyInstance, { brandLogo }: Config): void {
  if (brandLogo === null) return
  const svg = readFileSync(brandLogo)
  app.get(brandLogoPath, (_request, reply) =>
    reply
      .header('content-type', 'image/svg+xml')
      .header('cache-control', 'no-cache')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
      .send(svg),
  )
}
