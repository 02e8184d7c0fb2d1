import type { Plugin } from 'vite'

/**
 * Lets Chromium compile all functions of a file on another thread while it arrives. Without it the
 * page compiles each function when it is first called, in the way of its first render.
 */
const compileHint = '//# allFunctionsCalledOnLoad\n'

/** Large packages of which a page calls a small part, and texts. */
const partlyCalled = /^assets\/(pdf-pages|telemetry|popups|words|en|hi)-/
/** Smaller files are compiled in less than a millisecond. */
const charactersMin = 4_000

/** Adds the hint to the files of a build. Other browsers ignore it. */
export function compileHints(): Plugin {
  return {
    name: 'kist-compile-hints',
    apply: (config, { command }) => command === 'build' && !config.build?.ssr,
    generateBundle: {
      // After Vite has put its list of chunks before the code: the hint is for what follows it.
      order: 'post',
      handler(_options, bundle) {
        for (const chunk of Object.values(bundle))
          if (chunk.type === 'chunk' && chunk.code.length >= charactersMin && !partlyCalled.test(chunk.fileName))
            chunk.code = compileHint + chunk.code
      },
    },
  }
}
