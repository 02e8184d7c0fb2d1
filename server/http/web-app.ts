import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { apiPrefix } from '#contract/endpoint.ts'
import type { Config } from '../config.ts'
import { Failure } from './failure.ts'

const webDirectory = join(import.meta.dirname, '../../dist/web')

/**
 * Serves the built web app and what it reads at start (`/config.json`, decision 11). Every path that is no file and
 * not of the API is a screen of the app, which knows its own not-found page.
 */
export async function serveWebApp(app: FastifyInstance, config: Config): Promise<void> {
  app.get('/config.json', (_request, reply) => reply.header('cache-control', 'no-cache').send(config.portal))
  if (!existsSync(join(webDirectory, 'index.html'))) return
  await app.register(fastifyStatic, {
    root: webDirectory,
    wildcard: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const isHashed = path.startsWith(join(webDirectory, 'assets'))
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  app.get('/*', (request, reply) => {
    if (isApi(request.url) || isFile(request.url)) throw new Failure('NotFound', 'There is no such thing here.')
    return reply.sendFile('index.html')
  })
}

const isApi = (url: string) => url.startsWith(`${apiPrefix}/`) || url === apiPrefix
const isFile = (url: string) => /\.[a-z0-9]{2,5}$/i.test(new URL(url, 'http://path').pathname)
