import { createHash, randomBytes } from 'node:crypto'

const idCharacters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

type IdPrefix = 'plink' | 'order' | 'pay' | 'rfnd' | 'card' | 'setl' | 'adj' | 'disp' | 'inv' | 'cust' | 'token' | 'notification'

/** Random values from one seed: the same seed and calls give the same ids. */
export class Chance {
  readonly #seed: string
  #drawn = 0
  #bytes: number[] = []

  /** Without a seed every process has other values. */
  constructor(seed: string | null) {
    this.#seed = seed ?? randomBytes(16).toString('hex')
  }

  /** `length` letters and digits. */
  text(length: number): string {
    return this.#of(idCharacters, length)
  }

  digits(length: number): string {
    return this.#of('0123456789', length)
  }

  /** A number from 0 up to but not including 1. */
  unit(): number {
    return (this.#byte() * 65_536 + this.#byte() * 256 + this.#byte()) / 16_777_216
  }

  /** A provider id: `<prefix>_` and 14 letters and digits. */
  id(prefix: IdPrefix): string {
    return `${prefix}_${this.text(14)}`
  }

  /**
   * A bank's 12-digit retrieval reference number; never starts with 0, so it survives as a number.
   */
  rrn(): string {
    return this.#of('123456789', 1) + this.digits(11)
  }

  /** A UPI transaction id as NPCI writes them: 32 hex digits. */
  upiTransactionId(): string {
    return this.#of('0123456789ABCDEF', 32)
  }

  /** Bytes past the last whole multiple are rejected, so that each letter is equally likely. */
  #of(alphabet: string, length: number): string {
    const limit = 256 - (256 % alphabet.length)
    let text = ''
    while (text.length < length) {
      const byte = this.#byte()
      if (byte < limit) text += alphabet[byte % alphabet.length] ?? ''
    }
    return text
  }

  #byte(): number {
    if (this.#bytes.length === 0) {
      this.#bytes = [
        ...createHash('sha256')
          .update(`${this.#seed}:${this.#drawn++}`)
          .digest(),
      ]
    }
    return this.#bytes.pop() ?? 0
  }
}
