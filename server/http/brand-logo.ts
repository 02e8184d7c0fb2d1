import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { brandIcons, brandLogoPath } from '../config/brand.ts'
import type { Config } from '../config/config.ts'

/**
 * Serves the lender's logo and icons, read once at start. The content policy stops scripts in an
 * SVG that is opened directly.
 */
export function serveBrandPictures(app: FastifyInstance, { brandLogo, brandIcons: icons }: Config): void {
  const serve = (path: string, file: string): void => {
    const picture = readFileSync(file)
    app.get(path, (_request, reply) =>
      reply
        .header('content-type', file.endsWith('.svg') ? 'image/svg+xml' : 'image/png')
        .header('cache-control', 'no-cache')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
        .send(picture),
    )
  }
  if (brandLogo !== null) serve(brandLogoPath, brandLogo)
  if (icons === null) return
  for (const name of Object.keys(brandIcons)) serve(name === 'favicon.svg' ? '/favicon.svg' : `/icons/${name}`, join(icons, name))
}
