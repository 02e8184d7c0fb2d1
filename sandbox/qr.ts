/**
 * A QR code (ISO/IEC 18004) of a short text: byte mode, error correction M, versions 1 to 6, mask
 * 0. That is enough for an address; a longer text has none.
 */

type Version = { readonly dataCodewords: number; readonly blocks: number; readonly checkCodewords: number }

/**
 * By version, from 1; the check codewords are those of one block, and all blocks of a version are
 * equally long.
 */
const VERSIONS: readonly Version[] = [
  { dataCodewords: 16, blocks: 1, checkCodewords: 10 },
  { dataCodewords: 28, blocks: 1, checkCodewords: 16 },
  { dataCodewords: 44, blocks: 1, checkCodewords: 26 },
  { dataCodewords: 64, blocks: 2, checkCodewords: 18 },
  { dataCodewords: 86, blocks: 2, checkCodewords: 24 },
  { dataCodewords: 108, blocks: 4, checkCodewords: 16 },
]

/** Rows of modules, true is dark, without the quiet zone; null when the text is too long. */
export function qrCode(text: string): boolean[][] | null {
  const bytes = Buffer.from(text, 'utf8')
  const index = VERSIONS.findIndex(({ dataCodewords }) => bytes.length + 2 <= dataCodewords)
  const version = VERSIONS[index]
  if (version === undefined) return null
  const grid = new Grid(index + 1)
  grid.drawFunctionPatterns()
  grid.drawCodewords(interleaved(dataOf(bytes, version.dataCodewords), version))
  return grid.rows()
}

/** Mode 0100, the length, the bytes, the end, and padding. */
function dataOf(bytes: Buffer, codewords: number): number[] {
  const bits = [4, bytes.length >> 4, bytes.length & 15, ...[...bytes].flatMap((byte) => [byte >> 4, byte & 15]), 0]
  const data: number[] = []
  for (let at = 0; at + 1 < bits.length; at += 2) data.push(((bits[at] ?? 0) << 4) | (bits[at + 1] ?? 0))
  for (let pad = 0; data.length < codewords; pad++) data.push(pad % 2 === 0 ? 0xec : 0x11)
  return data
}

function interleaved(data: readonly number[], { blocks, checkCodewords }: Version): number[] {
  const length = data.length / blocks
  const parts = Array.from({ length: blocks }, (_, block) => data.slice(block * length, (block + 1) * length))
  const checks = parts.map((part) => checkOf(part, checkCodewords))
  const woven = (lists: readonly (readonly number[])[]): number[] => (lists[0] ?? []).flatMap((_, at) => lists.map((list) => list[at] ?? 0))
  return [...woven(parts), ...woven(checks)]
}

/** The remainder of the data divided by the Reed-Solomon generator, over GF(256) with 0x11D. */
function checkOf(data: readonly number[], count: number): number[] {
  const generator = generatorOf(count)
  const rest: number[] = Array.from({ length: count }, () => 0)
  for (const codeword of data) {
    const factor = codeword ^ (rest.shift() ?? 0)
    rest.push(0)
    for (const [at, coefficient] of generator.entries()) rest[at] = (rest[at] ?? 0) ^ product(coefficient, factor)
  }
  return rest
}

/** Coefficients of (x − 1)(x − 2)(x − 4)…, highest first, without the leading 1. */
function generatorOf(degree: number): number[] {
  const result: number[] = Array.from({ length: degree }, (_, at) => (at === degree - 1 ? 1 : 0))
  let root = 1
  for (let turn = 0; turn < degree; turn++) {
    for (let at = 0; at < degree; at++) result[at] = product(result[at] ?? 0, root) ^ (result[at + 1] ?? 0)
    root = product(root, 2)
  }
  return result
}

function product(one: number, other: number): number {
  let result = 0
  for (let bit = 7; bit >= 0; bit--) {
    result = (result << 1) ^ ((result >> 7) * 0x11d)
    result ^= ((other >> bit) & 1) * one
  }
  return result
}

/** Error correction M and mask 0 with their check bits, as the standard's table has them. */
const FORMAT = 0b101010000010010

class Grid {
  readonly #size: number
  readonly #version: number
  readonly #dark: boolean[][]
  readonly #isTaken: boolean[][]

  constructor(version: number) {
    this.#version = version
    this.#size = 17 + 4 * version
    const empty = (): boolean[][] => Array.from({ length: this.#size }, () => Array.from({ length: this.#size }, () => false))
    this.#dark = empty()
    this.#isTaken = empty()
  }

  rows(): boolean[][] {
    return this.#dark
  }

  drawFunctionPatterns(): void {
    const last = this.#size - 1
    for (let at = 0; at <= last; at++) {
      this.#set(at, 6, at % 2 === 0)
      this.#set(6, at, at % 2 === 0)
    }
    this.#finder(3, 3)
    this.#finder(last - 3, 3)
    this.#finder(3, last - 3)
    if (this.#version > 1) this.#ring(last - 6, last - 6, 2, [0, 2])
    this.#format(last)
  }

  /**
   * Writes bits up and down in columns of two from the right, around function patterns, inverted by
   * the mask.
   */
  drawCodewords(codewords: readonly number[]): void {
    let bit = 0
    const last = this.#size - 1
    for (let right = last; right > 0; right -= right === 8 ? 3 : 2) {
      const isUpward = ((right + (right < 6 ? 1 : 0)) & 2) === (last & 2)
      for (let step = 0; step <= last; step++) {
        const y = isUpward ? last - step : step
        for (const x of [right, right - 1]) {
          if (this.#isTaken[y]?.[x] !== false) continue
          const isDark = (((codewords[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1
          this.#set(x, y, isDark !== ((x + y) % 2 === 0))
          bit++
        }
      }
    }
  }

  #finder(x: number, y: number): void {
    this.#ring(x, y, 4, [0, 1, 3])
  }

  /** Squares around a centre; those at the named distances are dark. */
  #ring(x: number, y: number, reach: number, darkAt: readonly number[]): void {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) this.#set(x + dx, y + dy, darkAt.includes(Math.max(Math.abs(dx), Math.abs(dy))))
    }
  }

  #format(last: number): void {
    const isDark = (bit: number): boolean => ((FORMAT >> bit) & 1) === 1
    for (let bit = 0; bit < 15; bit++) {
      const down = bit < 6 ? bit : bit < 8 ? bit + 1 : last - 14 + bit
      const along = bit < 8 ? last - bit : bit === 8 ? 7 : 14 - bit
      this.#set(8, down, isDark(bit))
      this.#set(along, 8, isDark(bit))
    }
    this.#set(8, last - 7, true)
  }

  #set(x: number, y: number, isDark: boolean): void {
    const [row, taken] = [this.#dark[y], this.#isTaken[y]]
    if (row === undefined || taken === undefined || row[x] === undefined) return
    row[x] = isDark
    taken[x] = true
  }
}
