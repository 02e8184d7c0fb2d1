import { inflateSync } from 'node:zlib'
import { PDFArray, PDFDict, PDFName, PDFNull, PDFNumber, PDFParser, PDFRawStream, type PDFObject, type PDFRef } from '@cantoo/pdf-lib'

/** The contents of a file's objects. */
export type PdfListing = {
  /** The number of indirect objects in the file, without those inside object streams. */
  objects: number
  /** Every name, unescaped (`/J#61vaScript` is JavaScript). */
  names: Set<string>
  /** The names that are keys of a dictionary. */
  keys: Set<string>
  /** Whether the object streams exceed the unpacked limit. */
  unpacksTooLarge: boolean
}

/** An ambiguous object, or an object stream that cannot be read with certainty. */
class UnreadablePart extends Error {}

/** The limit for all object streams of a file, unpacked. */
const unpackedBytesMax = 64 * 1_048_576

export const emptyListing = (): PdfListing => ({ objects: 0, names: new Set(), keys: new Set(), unpacksTooLarge: false })

/**
 * Lists every object of a PDF from the first byte to the last: all revisions, whether or not a
 * cross-reference table names them, and the contents of object streams. If it throws, `listing`
 * holds what was found so far.
 *
 * @throws Error if a part cannot be read with certainty. The parser replaces errors thrown within
 * it by its own.
 */
export async function listPdf(bytes: Uint8Array, listing: PdfListing): Promise<void> {
  await new ListingParser(bytes, listing, { bytesLeft: unpackedBytesMax, exceed: () => (listing.unpacksTooLarge = true) }).parseDocument()
}

type Budget = { bytesLeft: number; exceed(): void }

class ListingParser extends PDFParser {
  private readonly listing: PdfListing
  /** Null inside an object stream, which cannot contain another. */
  private readonly budget: Budget | null

  constructor(bytes: Uint8Array, listing: PdfListing, budget: Budget | null) {
    super(bytes, Infinity, true)
    this.listing = listing
    this.budget = budget
    // The parser passes every indirect object to its context, which counts it and does not store
    // it.
    this.context.assign = () => {
      listing.objects += 1
    }
  }

  parseObjectAt(offset: number): void {
    this.bytes.moveTo(offset)
    this.parseObject()
  }

  override parseObject(ref?: PDFRef): PDFObject {
    const object = super.parseObject(ref)
    if (!(object instanceof PDFRawStream)) return object
    if (this.budget === null) throw new UnreadablePart('a stream inside an object stream')
    const content = unpackObjectStream(object, this.budget)
    if (content) listObjectStream(object.dict, content, this.listing)
    // Other streams are not examined. Returning null keeps the parser from unpacking and storing
    // them.
    return PDFNull
  }

  protected override parseName(): PDFName {
    const name = super.parseName()
    this.listing.names.add(readNameText(name))
    return name
  }

  /**
   * Replaces the parser's method, which keeps the last of two equal keys; another reader may keep
   * the first.
   */
  protected override parseDict(ref?: PDFRef): PDFDict {
    const entries = new Map<PDFName, PDFObject>()
    for (const byte of '<<') this.bytes.assertNext(byte.charCodeAt(0))
    this.skipWhitespaceAndComments()
    while (!this.bytes.done() && this.bytes.peek() !== 0x3e) {
      const key = this.parseName()
      if (entries.has(key)) throw new UnreadablePart('a repeated key in a dictionary')
      this.listing.keys.add(readNameText(key))
      entries.set(key, this.parseObject(ref))
      this.skipWhitespaceAndComments()
    }
    for (const byte of '>>') this.bytes.assertNext(byte.charCodeAt(0))
    return PDFDict.fromMapWithContext(entries, this.context)
  }
}

const readNameText = (name: PDFName): string => name.toString().slice(1)
const entry = (dict: PDFDict, key: string): PDFObject | undefined => dict.get(PDFName.of(key))

/**
 * @returns the unpacked bytes of an object stream, recognised by its type or by the two numbers
 * that only such streams have; null for other streams.
 */
function unpackObjectStream({ dict, contents }: PDFRawStream, budget: Budget): Buffer | null {
  const isObjectStream = entry(dict, 'Type') === PDFName.of('ObjStm') || (dict.has(PDFName.of('First')) && dict.has(PDFName.of('N')))
  if (!isObjectStream) return null
  const unpacked = isPlain(dict) ? Buffer.from(contents) : inflate(dict, contents, budget)
  budget.bytesLeft -= unpacked.length
  if (budget.bytesLeft < 0) throw tooLarge(budget)
  return unpacked
}

const isPlain = (dict: PDFDict): boolean => !['Filter', 'F'].some((key) => dict.has(PDFName.of(key)))

/** Legitimate object streams use only Flate. Another filter could hide their content. */
function inflate(dict: PDFDict, contents: Uint8Array, budget: Budget): Buffer {
  const filter = entry(dict, 'Filter')
  const [only, ...others] = filter instanceof PDFArray ? filter.asArray() : [filter]
  const isFlate = only === PDFName.of('FlateDecode') || only === PDFName.of('Fl')
  if (!isFlate || others.length > 0 || hasPredictor(dict)) throw new UnreadablePart('an object stream with an unusual filter')
  // Without a direct length, the parser takes a line end that belongs to the data as the one after
  // it.
  for (const cutOff of ['', '\n', '\r\n']) {
    try {
      return inflateSync(Buffer.concat([contents, Buffer.from(cutOff)]), { maxOutputLength: Math.max(1, budget.bytesLeft) })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(budget)
      if (code !== 'Z_BUF_ERROR') break
    }
  }
  throw new UnreadablePart('an incomplete object stream')
}

function tooLarge(budget: Budget): UnreadablePart {
  budget.exceed()
  return new UnreadablePart('object streams that exceed the unpacked limit')
}

/** A predictor rearranges unpacked bytes. It is meant for pictures and tables. */
function hasPredictor(dict: PDFDict): boolean {
  const parameters = entry(dict, 'DecodeParms') ?? entry(dict, 'DP')
  if (parameters === undefined || parameters === PDFNull) return false
  if (!(parameters instanceof PDFDict)) return true
  const predictor = entry(parameters, 'Predictor')
  return predictor !== undefined && !(predictor instanceof PDFNumber && predictor.asNumber() === 1)
}

/**
 * An object stream starts with pairs of numbers: an object's number, and its offset from `First`.
 */
function listObjectStream(dict: PDFDict, content: Buffer, listing: PdfListing): void {
  const first = entry(dict, 'First')
  const count = entry(dict, 'N')
  if (!(first instanceof PDFNumber) || !(count instanceof PDFNumber)) throw new UnreadablePart('an object stream without its numbers')
  const numbers = content
    .toString('latin1', 0, first.asNumber())
    .split(/[\s\0]+/)
    .filter((text) => text !== '')
  if (numbers.length % 2 !== 0 || numbers.length < count.asNumber() * 2 || numbers.some((text) => !/^\d{1,10}$/.test(text)))
    throw new UnreadablePart('an object stream with a damaged table')
  const offsets = new Set(numbers.filter((_, index) => index % 2 === 1).map(Number))
  const parser = new ListingParser(content, listing, null)
  for (const offset of offsets) parser.parseObjectAt(first.asNumber() + offset)
}
