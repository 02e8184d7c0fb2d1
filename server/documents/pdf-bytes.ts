import { inflateSync } from 'node:zlib'

/** Why a PDF is not stored: it could do something by itself, cannot be looked into, or is none. */
export type PdfFault = 'damaged' | 'trailing_bytes' | 'protected' | 'active_content' | 'unpacks_too_large' | 'unreadable_part'

/** What makes a PDF act, run, send, carry or fetch something: names of actions and of things that hold them. */
const active = /\/(JavaScript|Launch|EmbeddedFiles?|RichMedia|SubmitForm|ImportData|GoToE|Rendition|XFA)(?![A-Za-z0-9])/
const protection = /\/Encrypt(?![A-Za-z0-9])/

/** A compressed part may hold other parts; so much of them is unpacked in all. */
const unpackedBytesMax = 64 * 1_048_576

/**
 * The first thing wrong with a PDF, or null. Names may be written with escapes (`/J#61vaScript`) and parts be packed inside a
 * compressed part: both are undone first. Looked at is the whole file, since what a reader takes for a stream's content
 * or for an object is not for us to settle.
 */
export function pdfFault(bytes: Buffer): PdfFault | null {
  const text = bytes.toString('latin1')
  if (!/^%PDF-[12]\.\d/.test(text)) return 'damaged'
  const end = text.lastIndexOf('%%EOF')
  if (end === -1 || !text.includes('startxref')) return 'damaged'
  if (/[^\s\0]/.test(text.slice(end + 5))) return 'trailing_bytes'
  if (!/\d+\s+\d+\s+obj/.test(text)) return 'damaged'
  const names = unescaped(text)
  if (protection.test(names)) return 'protected'
  if (active.test(names)) return 'active_content'
  return packedFault(bytes, text)
}

const unescaped = (text: string): string =>
  text.replace(/#([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Looks into every part that packs others: known by its type, or by the two numbers that only such parts have. */
function packedFault(bytes: Buffer, text: string): PdfFault | null {
  let left = unpackedBytesMax
  for (const match of text.matchAll(/stream(\r\n|\n|\r)/g)) {
    const at = match.index
    if (text.slice(at - 3, at) === 'end') continue
    const dictionary = unescaped(text.slice(Math.max(0, text.lastIndexOf(' obj', at)), at))
    if (!/\/ObjStm(?![A-Za-z])/.test(dictionary) && !(/\/First\s+\d/.test(dictionary) && /\/N\s+\d/.test(dictionary))) continue
    const from = at + match[0].length
    const to = text.indexOf('endstream', from)
    if (to === -1) return 'damaged'
    const content = unpack(bytes.subarray(from, to), dictionary, left)
    if (typeof content === 'string') return content
    left -= content.length
    const names = unescaped(content.toString('latin1'))
    if (active.test(names)) return 'active_content'
  }
  return null
}

/** Such parts are written by one packing or none; anything else would only serve to hide what is in them. */
function unpack(packed: Buffer, dictionary: string, bytesMax: number): Buffer | PdfFault {
  const filter = /\/Filter\s*(\[[^\]]*\]|\/[A-Za-z0-9]+|\d+\s+\d+\s+R)/.exec(dictionary)?.[1]
  if (filter === undefined) return packed
  if (!/^\[?\s*\/(FlateDecode|Fl)\s*\]?$/.test(filter) || /\/Predictor\s+(?!1\D)/.test(dictionary)) return 'unreadable_part'
  if (bytesMax <= 0) return 'unpacks_too_large'
  try {
    return inflateSync(packed, { maxOutputLength: bytesMax, finishFlush: 2 })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'unpacks_too_large' : 'unreadable_part'
  }
}
