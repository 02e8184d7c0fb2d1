import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const directory = join(import.meta.dirname, '../dist/web/assets')
const compressible = /\.(js|css|svg)$/
/** Above this size the best compression takes seconds and saves 2 %. */
const bestBytesMax = 600_000

/** Writes compressed copies of a build's files, so that the server compresses nothing. */
export function compressedAssets(): Plugin {
  return {
    name: 'kist-compressed-assets',
    apply: (config, { command }) => command === 'build' && !config.build?.ssr && !config.build?.watch,
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler() {
        const names = (await readdir(directory)).filter((name) => compressible.test(name))
        await Promise.all(names.map(compress))
      },
    },
  }
}

async function compress(name: string): Promise<void> {
  const path = join(directory, name)
  const bytes = await readFile(path)
  const quality = bytes.length > bestBytesMax ? 9 : constants.BROTLI_MAX_QUALITY
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
    promisify(gzip)(bytes, { level: 9 }),
  ])
  await writeFile(`${path}.br`, br)
  await writeFile(`${path}.gz`, gz)
}
