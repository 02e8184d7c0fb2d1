import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { apiPrefix } from '#contract/endpoint.ts'
import { verificationPath } from '#contract/verification-path.ts'
import type { Config } from '../config/config.ts'
import { notFound } from './failure.ts'
import { pages } from './pages.ts'
import { pathOf } from './request-target.ts'
import { serveWebManifest } from './web-manifest.ts'

const webDirectory = join(import.meta.dirname, '../../dist/web')

/**
 * Serves the built web app and its settings (`/config.json`, decision 11). Every path that is not a
 * file or the API is a screen of the app, which shows its own not-found page.
 */
export async function serveWebApp(app: FastifyInstance, config: Config): Promise<void> {
  app.get('/config.json', (_request, reply) => reply.header('cache-control', 'no-cache').send(config.portal))
  serveWebManifest(app, config)
  await app.register(fastifyStatic, {
    root: webDirectory,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const isHashed = path.startsWith(join(webDirectory, 'assets'))
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  const sendPage = pages(webDirectory, config)
  app.get('/*', (request, reply) => {
    const pathname = pathOf(request.url)
    if (isApi(pathname)) throw notFound()
    if (isFile(pathname)) {
      if (!isPage(pathname) && hasFile(pathname)) return reply.sendFile(pathname)
      // A person who opens such an address sees the not-found page; a script gets no page.
      if (request.headers.accept?.includes('text/html') !== true) throw notFound()
    }
    // The address contains the code of somebody's document.
    if (pathname === verificationPath) reply.header('x-robots-tag', 'noindex')
    return sendPage(pathname, request, reply)
  })
}

const isApi = (path: string) => path === apiPrefix || path.startsWith(`${apiPrefix}/`)
/** Pages have their own addresses; as a file one would be sent with unfilled placeholders. */
const isPage = (path: string) => /\.html$/i.test(path)
const isFile = (path: string) => /\.[a-z0-9]{2,12}$/i.test(path)
/** The build's files have plain names, which lead nowhere else. */
const hasFile = (path: string) => /^(\/[\w-][\w.-]*)+$/.test(path) && existsSync(join(webDirectory, path))
