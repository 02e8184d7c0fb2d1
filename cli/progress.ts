const shownAfterMs = 2_000
const redrawnEveryMs = 200
const width = 30

/** A bar on a terminal, for what takes longer than two seconds; where nobody watches, nothing is written. */
export type Progress = { tell(done: number, all: number): void; end(): void }

export function createProgress(label: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  const startedAt = performance.now()
  let drawnAt = -Infinity
  return {
    tell(done, all) {
      const now = performance.now()
      if (!stream.isTTY || now - startedAt < shownAfterMs || now - drawnAt < redrawnEveryMs) return
      drawnAt = now
      const share = all === 0 ? 1 : Math.min(1, done / all)
      const filled = Math.round(share * width)
      stream.write(`\r${label} [${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${Math.floor(share * 100)} %`)
    },
    end() {
      if (drawnAt > 0) stream.write(`\r${' '.repeat(label.length + width + 10)}\r`)
    },
  }
}
