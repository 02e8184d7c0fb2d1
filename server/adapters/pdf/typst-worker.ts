import { parentPort, workerData } from 'node:worker_threads'
import type { DocumentContent } from './pdf-writer.ts'
import { drawQrCode } from './qr-code.ts'
import { loadEngine, loadNative, loadWasm, type TypstImplementation } from './typst-engine.ts'

/**
 * Writes PDFs one after the other in a worker thread, because the compiler blocks for tens of
 * milliseconds.
 */

const { implementation } = workerData as { implementation: TypstImplementation | null }
const engine = implementation === 'wasm' ? await loadWasm() : implementation === 'native' ? loadNative() : await loadEngine()

parentPort?.on('message', ({ id, content }: { id: number; content: DocumentContent }) => {
  try {
    if (!engine) throw new Error('Typst has no native library for this machine')
    parentPort?.postMessage({ id, pdf: engine(JSON.stringify({ ...content, qrCode: drawQrCode(content.verification.address) })) })
  } catch (error) {
    parentPort?.postMessage({ id, error: (error as Error).message })
  }
})
