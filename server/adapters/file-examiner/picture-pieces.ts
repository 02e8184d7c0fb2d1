import { crc32 } from 'node:zlib'
import type { DocumentContentType } from '#domain/documents.ts'
import { piecesMax, type Piece } from './file-examiner.ts'

export type PictureType = Exclude<DocumentContentType, 'application/pdf'>

/**
 * A picture's size in pixels, and the pieces of its file that are stored: the picture without
 * location, time, device, comments, and hidden or appended data. Nothing is decoded here, and every
 * parser reads the file once, forwards.
 */
export type Picture = { width: number; height: number; pieces: readonly Piece[] }

/** The bytes are not a picture of their type, or they end too early. */
export class DamagedPicture extends Error {}

/** The picture has several frames. */
export class AnimatedPicture extends Error {}

/** @throws DamagedPicture, AnimatedPicture */
export function readPicture(contentType: PictureType, bytes: Buffer): Picture {
  try {
    switch (contentType) {
      case 'image/jpeg':
        return readJpeg(bytes)
      case 'image/png':
        return readPng(bytes)
      case 'image/webp':
        return readWebp(bytes)
      case 'image/bmp':
        return readBmp(bytes)
    }
  } catch (error) {
    // A read past the end of the bytes.
    if (error instanceof RangeError) throw new DamagedPicture('it ends too early')
    throw error
  }
}

/** Collects pieces and joins adjacent ranges. */
class Pieces {
  readonly list: Piece[] = []

  keep(from: number, to: number): void {
    const last = this.list.at(-1)
    if (last && 'to' in last && last.to === from) last.to = to
    else this.add({ from, to })
  }

  insert(bytes: Buffer): void {
    this.add({ hex: bytes.toString('hex') })
  }

  private add(piece: Piece): void {
    if (this.list.length === piecesMax) throw new DamagedPicture('it has too many parts')
    this.list.push(piece)
  }
}

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

function readJpeg(bytes: Buffer): Picture {
  const pieces = new Pieces()
  let size: { width: number; height: number } | null = null
  let orientation: number | null = null
  const segments: { from: number; to: number }[] = []
  let at = 2
  for (;;) {
    while (bytes.readUInt8(at) === 0xff && bytes.readUInt8(at + 1) === 0xff) at += 1
    if (bytes.readUInt8(at) !== 0xff) throw new DamagedPicture('a marker is missing')
    const marker = bytes.readUInt8(at + 1)
    if (marker === 0xd9) break
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    const segment = bytes.subarray(at, end)
    if (segment.length !== end - at) throw new DamagedPicture('it ends too early')
    if (isFrame(marker)) {
      if (size !== null) throw new DamagedPicture('it has two frames')
      size = { height: segment.readUInt16BE(5), width: segment.readUInt16BE(7) }
    }
    if (marker === 0xe1) orientation ??= readOrientation(segment)
    if (keepsJpegSegment(marker, segment)) segments.push({ from: at, to: end })
    at = end
    if (marker !== 0xda) continue
    while (bytes.readUInt8(at) !== 0xff || bytes.readUInt8(at + 1) === 0 || isRestart(bytes.readUInt8(at + 1))) at += 1
    segments.push({ from: end, to: at })
  }
  if (size === null) throw new DamagedPicture('it has no picture')
  pieces.keep(0, 2)
  if (orientation !== null) pieces.insert(orientationSegment(orientation))
  for (const { from, to } of segments) pieces.keep(from, to)
  pieces.keep(at, at + 2)
  return { ...size, pieces: pieces.list }
}

/** Keeps tables, frames and scans, and the application segments that define colours. */
function keepsJpegSegment(marker: number, segment: Buffer): boolean {
  if (marker === 0xfe) return false
  if (marker < 0xe0 || marker > 0xef) return true
  if (marker === 0xe0) return segment.toString('latin1', 4, 9) === 'JFIF\0'
  if (marker === 0xe2) return segment.toString('latin1', 4, 16) === 'ICC_PROFILE\0'
  return marker === 0xee && segment.toString('latin1', 4, 9) === 'Adobe'
}

/** The Exif orientation, 2 to 8; null if upright. The only Exif value that is stored. */
function readOrientation(segment: Buffer): number | null {
  if (segment.toString('latin1', 4, 10) !== 'Exif\0\0') return null
  const tiff = segment.subarray(10)
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const u16 = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const u32 = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  try {
    const directory = u32(4)
    for (let entry = 0; entry < u16(directory); entry += 1) {
      const at = directory + 2 + entry * 12
      if (u16(at) === 0x0112) return u16(at + 8) >= 2 && u16(at + 8) <= 8 ? u16(at + 8) : null
    }
  } catch {
    // Malformed Exif data does not make the picture damaged.
  }
  return null
}

function orientationSegment(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex')
  tiff.writeUInt16BE(orientation, 18)
  const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const header = Buffer.from([0xff, 0xe1, 0, 0])
  header.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([header, content])
}

const pngSignatureLength = 8
const pngChunksKept = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'bKGD', 'pHYs'])

function readPng(bytes: Buffer): Picture {
  const pieces = new Pieces()
  pieces.keep(0, pngSignatureLength)
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') throw new DamagedPicture('it has no header')
  let hasPicture = false
  for (let at = pngSignatureLength; ;) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    const end = at + 12 + length
    if (end > bytes.length) throw new DamagedPicture('it ends too early')
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) throw new DamagedPicture('a checksum is wrong')
    if (pngChunksKept.has(type)) pieces.keep(at, end)
    hasPicture ||= type === 'IDAT'
    at = end
    if (type === 'IEND') break
  }
  if (!hasPicture) throw new DamagedPicture('it has no picture')
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), pieces: pieces.list }
}

const webpChunksKept = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ICCP'])
/** Flags of the extended header for EXIF and XMP, which are not stored. */
const webpMetadataFlags = 0x08 | 0x04

function readWebp(bytes: Buffer): Picture {
  const total = bytes.readUInt32LE(4) + 8
  if (total > bytes.length) throw new DamagedPicture('it ends too early')
  const pieces = new Pieces()
  let size: { width: number; height: number } | null = null
  let keptBytes = 0
  const header = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  pieces.insert(header)
  for (let at = 12; at + 8 <= total;) {
    const type = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    const end = at + 8 + length + (length % 2)
    if (end > total) throw new DamagedPicture('it ends too early')
    if (type === 'ANIM' || type === 'ANMF') throw new AnimatedPicture('it has several frames')
    if (webpChunksKept.has(type)) {
      size ??= webpSize(type, bytes.subarray(at, end))
      if (type === 'VP8X') {
        pieces.keep(at, at + 8)
        pieces.insert(Buffer.from([bytes.readUInt8(at + 8) & ~webpMetadataFlags]))
        pieces.keep(at + 9, end)
      } else pieces.keep(at, end)
      keptBytes += end - at
    }
    at = end
  }
  if (size === null) throw new DamagedPicture('it has no picture')
  header.writeUInt32LE(keptBytes + 4, 4)
  pieces.list[0] = { hex: header.toString('hex') }
  return { ...size, pieces: pieces.list }
}

function webpSize(type: string, chunk: Buffer): { width: number; height: number } | null {
  if (type === 'VP8X') return { width: chunk.readUIntLE(12, 3) + 1, height: chunk.readUIntLE(15, 3) + 1 }
  if (type === 'VP8 ') return { width: chunk.readUInt16LE(14) & 0x3fff, height: chunk.readUInt16LE(16) & 0x3fff }
  if (type !== 'VP8L') return null
  const bits = chunk.readUInt32LE(9)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

const bmpHeaderLengths = new Set([12, 40, 52, 56, 108, 124])
const bmpDepths = new Set([1, 4, 8, 16, 24, 32])

function readBmp(bytes: Buffer): Picture {
  const offset = bytes.readUInt32LE(10)
  const headerLength = bytes.readUInt32LE(14)
  if (!bmpHeaderLengths.has(headerLength)) throw new DamagedPicture('its header has an unknown length')
  const isOld = headerLength === 12
  const width = isOld ? bytes.readUInt16LE(18) : bytes.readInt32LE(18)
  const height = isOld ? bytes.readUInt16LE(20) : Math.abs(bytes.readInt32LE(22))
  const depth = bytes.readUInt16LE(isOld ? 24 : 28)
  const packing = isOld ? 0 : bytes.readUInt32LE(30)
  if (width <= 0 || height === 0 || !bmpDepths.has(depth) || packing > 3) throw new DamagedPicture('its header is contradictory')
  const isPacked = packing === 1 || packing === 2
  const length = isPacked ? bytes.readUInt32LE(34) : Math.ceil((width * depth) / 32) * 4 * height
  const end = offset + length
  if (offset < 14 + headerLength) throw new DamagedPicture('its picture overlaps its header')
  if (length === 0 || end > bytes.length) throw new DamagedPicture('it ends too early')
  const pieces = new Pieces()
  const fileLength = Buffer.alloc(4)
  fileLength.writeUInt32LE(end)
  pieces.keep(0, 2)
  pieces.insert(fileLength)
  // A 124-byte header may refer to a colour profile after the picture; it is replaced by sRGB.
  if (headerLength === 124) {
    pieces.keep(6, 70)
    pieces.insert(Buffer.from('BGRs', 'latin1'))
    pieces.keep(74, 126)
    pieces.insert(Buffer.alloc(8))
    pieces.keep(134, end)
  } else pieces.keep(6, end)
  return { width, height, pieces: pieces.list }
}
