import { crc32 } from 'node:zlib'
import type { DocumentContentType } from '#domain/documents.ts'

/**
 * Images as they are stored: the picture itself, without where and when it was taken, what program made it, remarks, and whatever
 * else was hidden in it or hung behind it. Nothing is decoded, so that a picture of a billion points costs nothing.
 */
export type Image = { width: number; height: number; bytes: Buffer }

/** The bytes are not an image of their type, or end before it does. */
export class DamagedImage extends Error {}

export function readImage(contentType: Exclude<DocumentContentType, 'application/pdf'>, bytes: Buffer): Image {
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
    // Reading past the end of the bytes.
    if (error instanceof RangeError) throw new DamagedImage('it ends too early')
    throw error
  }
}

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

function readJpeg(bytes: Buffer): Image {
  const kept: Buffer[] = [bytes.subarray(0, 2)]
  let size: { width: number; height: number } | null = null
  let orientation: number | null = null
  let at = 2
  for (;;) {
    while (bytes.readUInt8(at) === 0xff && bytes.readUInt8(at + 1) === 0xff) at += 1
    if (bytes.readUInt8(at) !== 0xff) throw new DamagedImage('a marker is missing')
    const marker = bytes.readUInt8(at + 1)
    if (marker === 0xd9) break
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    const segment = bytes.subarray(at, end)
    if (segment.length !== end - at) throw new DamagedImage('it ends too early')
    if (isFrame(marker)) size = { height: segment.readUInt16BE(5), width: segment.readUInt16BE(7) }
    if (marker === 0xe1) orientation ??= orientationOf(segment)
    at = end
    if (keepsJpegSegment(marker, segment)) kept.push(segment)
    if (marker !== 0xda) continue
    const from = at
    while (bytes.readUInt8(at) !== 0xff || bytes.readUInt8(at + 1) === 0 || isRestart(bytes.readUInt8(at + 1))) at += 1
    kept.push(bytes.subarray(from, at))
  }
  if (size === null) throw new DamagedImage('it has no picture')
  if (orientation !== null) kept.splice(1, 0, orientationSegment(orientation))
  return { ...size, bytes: Buffer.concat([...kept, Buffer.from([0xff, 0xd9])]) }
}

/** Tables, frames and scans, and of the application's segments those that say what the colours mean. */
function keepsJpegSegment(marker: number, segment: Buffer): boolean {
  if (marker === 0xfe) return false
  if (marker < 0xe0 || marker > 0xef) return true
  if (marker === 0xe0) return segment.toString('latin1', 4, 9) === 'JFIF\0'
  if (marker === 0xe2) return segment.toString('latin1', 4, 16) === 'ICC_PROFILE\0'
  return marker === 0xee && segment.toString('latin1', 4, 9) === 'Adobe'
}

/** Which way up a camera held the picture, 2 to 8; null when it stands upright. The one thing of what it noted that is kept. */
function orientationOf(segment: Buffer): number | null {
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
    // What a camera noted may be broken; the picture is none the worse.
  }
  return null
}

function orientationSegment(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex')
  tiff.writeUInt16BE(orientation, 18)
  const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

const pngSignatureLength = 8
const pngChunksKept = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'bKGD', 'pHYs'])

function readPng(bytes: Buffer): Image {
  const kept: Buffer[] = [bytes.subarray(0, pngSignatureLength)]
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') throw new DamagedImage('it has no head')
  let hasPicture = false
  for (let at = pngSignatureLength; ;) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    const end = at + 12 + length
    if (end > bytes.length) throw new DamagedImage('it ends too early')
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) throw new DamagedImage('a checksum is wrong')
    if (pngChunksKept.has(type)) kept.push(bytes.subarray(at, end))
    hasPicture ||= type === 'IDAT'
    at = end
    if (type === 'IEND') break
  }
  if (!hasPicture) throw new DamagedImage('it has no picture')
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), bytes: Buffer.concat(kept) }
}

const webpChunksKept = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])
/** In the extended head: that notes in EXIF and XMP follow, which then do not. */
const webpNotes = 0x08 | 0x04

function readWebp(bytes: Buffer): Image {
  const total = bytes.readUInt32LE(4) + 8
  if (total > bytes.length) throw new DamagedImage('it ends too early')
  const kept: Buffer[] = []
  let size: { width: number; height: number } | null = null
  for (let at = 12; at + 8 <= total;) {
    const type = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    const end = at + 8 + length + (length % 2)
    if (end > total) throw new DamagedImage('it ends too early')
    if (webpChunksKept.has(type)) {
      const chunk = Buffer.from(bytes.subarray(at, end))
      size ??= webpSize(type, chunk)
      if (type === 'VP8X') chunk.writeUInt8(chunk.readUInt8(8) & ~webpNotes, 8)
      kept.push(chunk)
    }
    at = end
  }
  if (size === null) throw new DamagedImage('it has no picture')
  const body = Buffer.concat(kept)
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(body.length + 4, 4)
  return { ...size, bytes: Buffer.concat([head, body]) }
}

function webpSize(type: string, chunk: Buffer): { width: number; height: number } | null {
  if (type === 'VP8X') return { width: chunk.readUIntLE(12, 3) + 1, height: chunk.readUIntLE(15, 3) + 1 }
  if (type === 'VP8 ') return { width: chunk.readUInt16LE(14) & 0x3fff, height: chunk.readUInt16LE(16) & 0x3fff }
  if (type !== 'VP8L') return null
  const bits = chunk.readUInt32LE(9)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

const bmpHeads = new Set([12, 40, 52, 56, 108, 124])
const bmpDepths = new Set([1, 4, 8, 16, 24, 32])

function readBmp(bytes: Buffer): Image {
  const offset = bytes.readUInt32LE(10)
  const headLength = bytes.readUInt32LE(14)
  if (!bmpHeads.has(headLength)) throw new DamagedImage('its head is of an unknown length')
  const isOld = headLength === 12
  const width = isOld ? bytes.readUInt16LE(18) : bytes.readInt32LE(18)
  const height = isOld ? bytes.readUInt16LE(20) : Math.abs(bytes.readInt32LE(22))
  const depth = bytes.readUInt16LE(isOld ? 24 : 28)
  const packing = isOld ? 0 : bytes.readUInt32LE(30)
  if (width <= 0 || height === 0 || !bmpDepths.has(depth) || packing > 3) throw new DamagedImage('its head makes no sense')
  const isPacked = packing === 1 || packing === 2
  const length = isPacked ? bytes.readUInt32LE(34) : Math.ceil((width * depth) / 32) * 4 * height
  const end = offset + length
  if (length === 0 || end > bytes.length) throw new DamagedImage('it ends too early')
  const image = Buffer.from(bytes.subarray(0, end))
  image.writeUInt32LE(end, 2)
  // A colour profile, or the path of one, would stand behind the picture.
  if (headLength === 124) {
    image.write('BGRs', 70, 'latin1')
    image.fill(0, 126, 134)
  }
  return { width, height, bytes: image }
}
