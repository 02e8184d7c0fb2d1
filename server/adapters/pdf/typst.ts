import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { DocumentContent, PdfWriter } from './pdf-writer.ts'
import type { TypstImplementation } from './typst-engine.ts'

type Waiting = { resolve(pdf: Buffer): void; reject(error: Error): void }
type Answer = { id: number; pdf?: Uint8Array; error?: string }

/**
 * Creates a PDF writer that runs Typst in a worker thread. The thread starts with the first
 * document, and again after it ends. `implementation` null: the fastest that is installed.
 */
export function createTypstWriter(implementation: TypstImplementation | null = null): PdfWriter {
  let worker: Worker | null = null
  let lastId = 0
  const waiting = new Map<number, Waiting>()

  const startWorker = (): Worker => {
    const thread = new Worker(join(import.meta.dirname, 'typst-worker.ts'), { workerData: { implementation } })
    thread.on('message', ({ id, pdf, error }: Answer) => {
      const request = waiting.get(id)
      waiting.delete(id)
      if (pdf) request?.resolve(Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength))
      else request?.reject(new Error(error))
      if (waiting.size === 0) thread.unref()
    })
    const rejectAll = (error: Error) => {
      if (worker === thread) worker = null
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    thread.on('error', rejectAll)
    thread.on('exit', (code) => rejectAll(new Error(`The Typst worker exited with code ${code}`)))
    return thread
  }

  return {
    write: (content) =>
      new Promise<Buffer>((resolve, reject) => {
        worker ??= startWorker()
        lastId += 1
        waiting.set(lastId, { resolve, reject })
        worker.ref()
        worker.postMessage({ id: lastId, content } satisfies { id: number; content: DocumentContent })
      }),
    close: async () => {
      await worker?.terminate()
      worker = null
    },
  }
}
