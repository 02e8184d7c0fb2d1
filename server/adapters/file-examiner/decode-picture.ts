import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { PictureType } from './picture-pieces.ts'

const require = createRequire(import.meta.url)

/** Types that a library decodes. BMP is uncompressed: its size and header are checked instead. */
type DecodedType = Exclude<PictureType, 'image/bmp'>

/**
 * Decodes a picture as a browser will, and discards the pixels. The codecs are WebAssembly, so a
 * malicious picture affects only their own memory. JPEG and WEBP get a new instance per picture;
 * the PNG codec is memory-safe and is reused.
 *
 * @throws Error of any kind if the picture cannot be decoded.
 */
export async function decodePicture(contentType: DecodedType, bytes: Buffer): Promise<{ width: number; height: number }> {
  const { width, height } = await decoders[contentType](bytes)
  return { width, height }
}

type Size = { width: number; height: number }

const decoders: Record<DecodedType, (bytes: Buffer) => Promise<Size>> = {
  'image/jpeg': async (bytes) => {
    const { default: decode, init } = await import('@jsquash/jpeg/decode.js')
    await init({ ...silent, wasmBinary: codec('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm') })
    return decode(exactBuffer(bytes))
  },
  'image/png': async (bytes) => {
    const { default: decode, init } = await import('@jsquash/png/decode.js')
    await init(codec('@jsquash/png/codec/pkg/squoosh_png_bg.wasm'))
    return decode(exactBuffer(bytes))
  },
  'image/webp': async (bytes) => {
    const { default: decode, init } = await import('@jsquash/webp/decode.js')
    await init({ ...silent, wasmBinary: codec('@jsquash/webp/codec/dec/webp_dec.wasm') })
    return decode(exactBuffer(bytes))
  },
}

/** Discards the codecs' messages: standard output is reserved for answers. */
const silent = { print: () => {}, printErr: () => {} }

const codec = (name: string): ArrayBuffer => exactBuffer(readFileSync(require.resolve(name)))

const exactBuffer = (bytes: Buffer): ArrayBuffer => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
