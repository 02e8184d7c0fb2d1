type Entry<T> = { readonly atMs: number; readonly turn: number; readonly item: T }

/**
 * Items by due time, then by insertion. Adding and taking cost
 * the logarithm of the length.
 */
export class DueQueue<T> {
  #heap: Entry<T>[] = []
  #turn = 0

  get size(): number {
    return this.#heap.length
  }

  add(item: T, atMs: number): void {
    this.#heap.push({ atMs, turn: this.#turn++, item })
    for (let at = this.#heap.length - 1; at > 0;) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  /** Removes and returns the earliest item that is due; undefined when none is. */
  take(nowMs: number): T | undefined {
    const first = this.#heap[0]
    if (first === undefined || first.atMs > nowMs) return undefined
    const last = this.#heap.pop()
    if (last !== undefined && last !== first) {
      this.#heap[0] = last
      this.#sink()
    }
    return first.item
  }

  clear(): void {
    this.#heap = []
  }

  #sink(): void {
    for (let at = 0; ;) {
      const left = 2 * at + 1
      const least = this.#isBefore(left + 1, left) ? left + 1 : left
      if (!this.#isBefore(least, at)) return
      this.#swap(at, least)
      at = least
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]]
    if (a === undefined || b === undefined) return a !== undefined
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.turn < b.turn)
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]]
    if (a === undefined || b === undefined) return
    this.#heap[one] = b
    this.#heap[other] = a
  }
}
