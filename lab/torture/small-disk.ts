import { startEmbedded } from '#server/database/embedded.ts'

/**
 * Runs a PostgreSQL on a mounted disk. The message `start` starts it and answers its addresses;
 * `stop` ends the program.
 */

const [directory = ''] = process.argv.slice(2)

process.on('message', (order) => {
  void startEmbedded({ directory, durable: true }).then(async ({ stop, ...urls }) => {
    if (order === 'start') return process.send?.(urls)
    await stop()
    process.exit(0)
  })
})
