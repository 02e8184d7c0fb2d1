const shownAfterMs = 2_000
const redrawnEveryMs = 200
const width = 30

/** A progress bar after two seconds; prints nothing if the output is no terminal. */
type Progress = { update(done: number, total: number): void; end(): void }

export function createProgress(label: string): Progress {
  const stream = process.stderr
  const startedAt = performance.now()
  let drawnAt = -Infinity
  return {
    update(done, total) {
      const now = performance.now()
      if (!stream.isTTY || now - startedAt < shownAfterMs || now - drawnAt < redrawnEveryMs) return
      drawnAt = now
      const share = total === 0 ? 1 : Math.min(1, done / total)
      const filled = Math.round(share * width)
      stream.write(`\r${label} [${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${Math.floor(share * 100)} %`)
    },
    end() {
      if (drawnAt > 0) stream.write(`\r${' '.repeat(label.length + width + 10)}\r`)
    },
  }
}

/** Does work that tells how far it is, with a progress bar. */
export async function withProgress<T>(label: string, work: (onProgress: Progress['update']) => Promise<T>): Promise<T> {
  const progress = createProgress(label)
  try {
    return await work(progress.update)
  } finally {
    progress.end()
  }
}
