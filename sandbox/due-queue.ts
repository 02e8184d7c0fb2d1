/** Things that wait for their time, earliest first: adding and taking cost the logarithm of how many wait. */
export class DueQueue<T> {
  #heap: { readonly atMs: number; readonly item: T }[] = []

  get size(): number {
    return this.#heap.length
  }

  add(item: T, atMs: number): void {
    const heap = this.#heap
    heap.push({ atMs, item })
    for (let at = heap.length - 1; at > 0;) {
      const parent = (at - 1) >> 1
      if (this.#at(parent) <= this.#at(at)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  /** Takes the earliest item whose time has come; undefined when none has. */
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
      const least = this.#at(left + 1) < this.#at(left) ? left + 1 : left
      if (!(this.#at(least) < this.#at(at))) return
      this.#swap(at, least)
      at = least
    }
  }

  #at(index: number): number {
    return this.#heap[index]?.atMs ?? Number.POSITIVE_INFINITY
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]]
    if (a === undefined || b === undefined) return
    this.#heap[one] = b
    this.#heap[other] = a
  }
}
