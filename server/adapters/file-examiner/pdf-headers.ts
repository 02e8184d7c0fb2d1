/** How far before `obj` its two numbers are searched. Legitimate files have no longer gaps. */
const searchBackMax = 512

/** The maximum of `obj` words outside headers and ends. A text about PDFs has a few. */
const strayWordsMax = 1_000
/** The maximum of objects without `endobj`. */
const unendedMax = 100

const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x0c || byte === 0
const isLineEnd = (byte: number | undefined) => byte === 0x0a || byte === 0x0d
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39
const percent = 0x25

/**
 * Counts the headers of indirect objects (`12 0 obj`) in the whole file, also inside streams,
 * strings and comments, where a parser sees none but a cross-reference table may point.
 *
 * @returns null if a comment splits a header, which parsers read differently, or if so many words
 * resemble objects that a parser would run for minutes.
 */
export function countObjectHeaders(bytes: Buffer): number | null {
  let count = 0
  let ends = 0
  let strayWords = 0
  for (let at = bytes.indexOf('obj'); at !== -1; at = bytes.indexOf('obj', at + 3)) {
    const found = headerBefore(bytes, at)
    if (found === 'split') return null
    if (found === 'header') count += 1
    else if (bytes.toString('latin1', at - 3, at) === 'end') ends += 1
    else strayWords += 1
  }
  return strayWords > strayWordsMax || count > ends + unendedMax ? null : count
}

function headerBefore(bytes: Buffer, at: number): 'header' | 'split' | 'none' {
  const first = Math.max(0, at - searchBackMax)
  const generation = numberBefore(bytes, at, first)
  if (typeof generation === 'string') return generation
  const number = numberBefore(bytes, generation, first)
  return typeof number === 'string' ? number : 'header'
}

/** @returns the start of the number that ends before `at`, with only whitespace between. */
function numberBefore(bytes: Buffer, at: number, first: number): number | 'split' | 'none' {
  let end = at
  let hasLineEnd = false
  while (end > first && isSpace(bytes[end - 1])) {
    hasLineEnd ||= isLineEnd(bytes[end - 1])
    end -= 1
  }
  let start = end
  while (start > first && isDigit(bytes[start - 1])) start -= 1
  if (start < end) return start
  return hasLineEnd && isNumberBeforeComment(bytes, end, first) ? 'split' : 'none'
}

/**
 * Whether the line that ends at `end` is a comment after a number: `12 % …`, possibly after further
 * comment lines.
 */
function isNumberBeforeComment(bytes: Buffer, end: number, first: number): boolean {
  let to = end
  for (;;) {
    let start = to
    while (start > first && !isLineEnd(bytes[start - 1])) start -= 1
    const comment = bytes.subarray(start, to).indexOf(percent)
    if (comment === -1) return false
    let before = start + comment
    while (before > start && isSpace(bytes[before - 1])) before -= 1
    if (before > start) return isDigit(bytes[before - 1])
    to = start
    while (to > first && isSpace(bytes[to - 1])) to -= 1
    if (isDigit(bytes[to - 1])) return true
    if (to === first) return false
  }
}
