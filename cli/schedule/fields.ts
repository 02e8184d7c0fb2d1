/** Invalid input of `kist schedule`. Its message is one line with field and reason. */
export class ScheduleInputError extends Error {
  override readonly name = 'ScheduleInputError'
}

/** A value of the input with its path, for error messages. */
export class Field {
  readonly path: string
  readonly value: unknown

  constructor(path: string, value: unknown) {
    this.path = path
    this.value = value
  }

  /** JSON null counts as absent. */
  get isAbsent(): boolean {
    return this.value === undefined || this.value === null
  }

  refuse(why: string): never {
    throw new ScheduleInputError(this.path === '' ? why : `${this.path}: ${why}`)
  }

  get(name: string): Field {
    if (typeof this.value !== 'object' || this.value === null || Array.isArray(this.value)) this.refuse('must be an object')
    const value: unknown = Object.hasOwn(this.value, name) ? (this.value as Record<string, unknown>)[name] : undefined
    return new Field(this.path === '' ? name : `${this.path}.${name}`, value)
  }

  list(): Field[] {
    if (this.isAbsent) this.refuse('is missing')
    if (!Array.isArray(this.value)) this.refuse('must be a list')
    return this.value.map((value, index) => new Field(`${this.path}[${index}]`, value))
  }

  listOrNone(): Field[] {
    return this.isAbsent ? [] : this.list()
  }

  text(): string {
    if (this.isAbsent) this.refuse('is missing')
    return typeof this.value === 'string' && this.value !== '' ? this.value : this.refuse('must be text')
  }

  number(): number {
    if (this.isAbsent) this.refuse('is missing')
    return typeof this.value === 'number' ? this.value : this.refuse('must be a number')
  }

  whole(from: number, to: number): number {
    const value = this.number()
    return Number.isInteger(value) && value >= from && value <= to ? value : this.refuse(`must be a whole number from ${from} to ${to}`)
  }

  wholeOr(from: number, to: number, otherwise: number): number {
    return this.isAbsent ? otherwise : this.whole(from, to)
  }

  oneOf<Choice extends string>(choices: readonly Choice[], otherwise?: Choice): Choice {
    if (this.isAbsent && otherwise !== undefined) return otherwise
    if (this.isAbsent) this.refuse('is missing')
    return choices.find((choice) => choice === this.value) ?? this.refuse(`must be one of ${choices.join(', ')}`)
  }
}
