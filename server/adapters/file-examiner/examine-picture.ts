import { AnimatedPicture, DamagedPicture, readPicture, type Picture, type PictureType } from './picture-pieces.ts'
import { decodePicture } from './decode-picture.ts'
import type { Examination, Piece } from './file-examiner.ts'

/**
 * A page scanned at 600 dpi has 35 million pixels. Decoding takes 8 bytes per pixel and must stay
 * below the memory limit.
 */
const pixelsMax = 50_000_000
const sideMax = 30_000

/** Decides which pieces of a picture are stored, after decoding exactly those. */
export async function examinePicture(contentType: PictureType, bytes: Buffer): Promise<Examination> {
  let picture: Picture
  try {
    picture = readPicture(contentType, bytes)
  } catch (error) {
    if (error instanceof AnimatedPicture) return { kind: 'refused', reason: 'picture_animated' }
    if (error instanceof DamagedPicture) return { kind: 'refused', reason: 'picture_damaged' }
    throw error
  }
  const { width, height, pieces } = picture
  if (width === 0 || height === 0) return { kind: 'refused', reason: 'picture_damaged' }
  if (width > sideMax || height > sideMax || width * height > pixelsMax) return { kind: 'refused', reason: 'picture_too_many_pixels' }
  if (contentType !== 'image/bmp' && !(await decodesTo(contentType, assemble(bytes, pieces), width, height)))
    return { kind: 'refused', reason: 'picture_damaged' }
  return { kind: 'accepted', pieces: [...pieces] }
}

async function decodesTo(contentType: Exclude<PictureType, 'image/bmp'>, bytes: Buffer, width: number, height: number): Promise<boolean> {
  let decoded: { width: number; height: number }
  try {
    decoded = await decodePicture(contentType, bytes)
  } catch {
    // The codecs throw errors of many kinds; each means that the bytes are not a picture.
    return false
  }
  return decoded.width * decoded.height === width * height
}

const assemble = (bytes: Buffer, pieces: readonly Piece[]): Buffer =>
  Buffer.concat(pieces.map((piece) => ('hex' in piece ? Buffer.from(piece.hex, 'hex') : bytes.subarray(piece.from, piece.to))))
