const given = (names: (name: string) => boolean): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value !== undefined && names(name) ? [[name, value]] : [])))

/**
 * The environment of a child process that gets its settings one by one: where programs are, and
 * where Node keeps compiled modules, which `npm test` sets.
 */
export const bareEnvironment = given((name) => name === 'PATH' || name === 'NODE_COMPILE_CACHE')

/**
 * The settings by which libfaketime moves this process's clock; empty where nothing moves it. For
 * the environment of child processes, whose clock must be the same.
 */
export const movedClock = given((name) => name === 'LD_PRELOAD' || name.startsWith('FAKETIME'))

/**
 * What a browser needs. The browser tests write its environment into their report, which is kept
 * when they fail, so it has no settings and no secrets.
 */
export const browserEnvironment = given(
  (name) => ['HOME', 'PATH', 'TMPDIR', 'LD_LIBRARY_PATH'].includes(name) || name.startsWith('FONTCONFIG_'),
)
