/** Counts by key what is open now, such as the connections of an address. */
export class KeyCounts {
  readonly #counts = new Map<string, number>()

  countOf = (key: string): number => this.#counts.get(key) ?? 0

  /** @returns the count with the new one. */
  add(key: string): number {
    const count = this.countOf(key) + 1
    this.#counts.set(key, count)
    return count
  }

  remove(key: string): void {
    const left = this.countOf(key) - 1
    if (left <= 0) this.#counts.delete(key)
    else this.#counts.set(key, left)
  }
}
