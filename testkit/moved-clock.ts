/**
 * The settings by which libfaketime moves this process's clock; empty where nothing moves it. For
 * the environment of child processes, whose clock must be the same.
 */
export const movedClock: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && (name === 'LD_PRELOAD' || name.startsWith('FAKETIME')) ? [[name, value]] : [],
  ),
)
