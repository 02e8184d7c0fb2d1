import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'

/** The texts of the installed portal and its launch screen. */
const texts = {
  en: { kist: 'Kist', name: 'loan repayments', description: 'Your loan: what is due, what is paid, and paying it.' },
  hi: { kist: 'क़िस्त', name: 'लोन का भुगतान', description: 'आपका लोन: कितना बाक़ी है, कितना चुकाया, और भुगतान।' },
} as const
type Language = keyof typeof texts

export function serveWebManifest(app: FastifyInstance, { portal, brandSpine }: Config): void {
  app.get('/manifest.webmanifest', (request, reply) => {
    const { language } = request.query as { language?: string }
    const lang: Language = language === 'en' || language === 'hi' ? language : portal.default_language
    const { kist, name, description } = texts[lang]
    const brand = portal.brand.name === 'Kist' ? kist : portal.brand.name
    return reply
      .header('cache-control', 'no-cache')
      .type('application/manifest+json; charset=utf-8')
      .send(
        JSON.stringify({
          id: '/',
          lang,
          dir: 'ltr',
          name: `${brand}: ${name}`,
          short_name: brand,
          description,
          start_url: '/active-loans',
          scope: '/',
          display: 'standalone',
          background_color: brandSpine,
          theme_color: brandSpine,
          icons: [
            { src: '/icons/192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
            { src: '/icons/512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
            { src: '/icons/maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
          ],
        }),
      )
  })
}
