import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Paper, PdfWriter } from './pdf-writer.ts'
import type { TypstBody } from './typst-engine.ts'

type Waiting = { resolve(pdf: Buffer): void; reject(error: Error): void }
type Answer = { id: number; pdf?: Uint8Array; error?: string }

/** Typst in a thread of its own, started with the first document and again after it died. `body` null: the fastest this machine has. */
export function typstWriter(body: TypstBody | null = null): PdfWriter {
  let worker: Worker | null = null
  let last = 0
  const waiting = new Map<number, Waiting>()

  const started = (): Worker => {
    const thread = new Worker(join(import.meta.dirname, 'typst-worker.ts'), { workerData: { body } })
    thread.on('message', ({ id, pdf, error }: Answer) => {
      const asked = waiting.get(id)
      waiting.delete(id)
      if (pdf) asked?.resolve(Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength))
      else asked?.reject(new Error(error))
      if (waiting.size === 0) thread.unref()
    })
    const giveUp = (error: Error) => {
      if (worker === thread) worker = null
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    thread.on('error', giveUp)
    thread.on('exit', (code) => giveUp(new Error(`The writer of documents stopped with ${code}`)))
    return thread
  }

  return {
    write: (paper) =>
      new Promise<Buffer>((resolve, reject) => {
        worker ??= started()
        last += 1
        waiting.set(last, { resolve, reject })
        worker.ref()
        worker.postMessage({ id: last, paper } satisfies { id: number; paper: Paper })
      }),
    close: async () => {
      await worker?.terminate()
      worker = null
    },
  }
}
