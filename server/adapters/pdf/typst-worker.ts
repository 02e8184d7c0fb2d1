import { parentPort, workerData } from 'node:worker_threads'
import type { Paper } from './pdf-writer.ts'
import { loadEngine, loadNative, loadWasm, type TypstBody } from './typst-engine.ts'

/** Writes PDFs beside the main thread, one after the other: the compiler works for tens of milliseconds without a pause. */

const body = (workerData as { body: TypstBody | null }).body
const engine = body === 'wasm' ? await loadWasm() : body === 'native' ? loadNative() : await loadEngine()

parentPort?.on('message', ({ id, paper }: { id: number; paper: Paper }) => {
  try {
    if (!engine) throw new Error('Typst has no native library for this machine')
    parentPort?.postMessage({ id, pdf: engine(JSON.stringify(paper)) })
  } catch (error) {
    parentPort?.postMessage({ id, error: (error as Error).message })
  }
})
