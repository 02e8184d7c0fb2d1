type ReadSlots = {
  run<T>(read: () => Promise<T>): Promise<T>
  /** How many reads wait for a slot. */
  waiting(): number
}

/**
 * Lets a few reads of this process run at once, the others in order of arrival. PostgreSQL answers
 * more of them in the same time: few of its processes compete for a processor and for its caches
 * (docs/benchmarks.md). A read that has run for `slowMs` gives its slot to the next, so that slow
 * reads delay no others.
 */
export function createReadSlots({ atOnce, slowMs }: { atOnce: number; slowMs: number }): ReadSlots {
  let free = atOnce
  const waiting: (() => void)[] = []
  const release = () => {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }
  return {
    run: async (read) => {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      let holdsSlot = true
      const giveUp = () => {
        if (holdsSlot) release()
        holdsSlot = false
      }
      const slow = setTimeout(giveUp, slowMs)
      try {
        return await read()
      } finally {
        clearTimeout(slow)
        giveUp()
      }
    },
    waiting: () => waiting.length,
  }
}
