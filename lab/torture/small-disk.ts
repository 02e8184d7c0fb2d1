import { startEmbedded } from '#server/database/embedded.ts'

/** A PostgreSQL on the disk that was mounted before this program began. Told `start` it answers where that runs, told `stop` it ends. */

const [directory = ''] = process.argv.slice(2)

process.on('message', (told) => {
  void startEmbedded({ directory, durable: true }).then(async ({ stop, ...urls }) => {
    if (told === 'start') return process.send?.(urls)
    await stop()
    process.exit(0)
  })
})
