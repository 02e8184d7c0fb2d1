import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { examinePdf } from './examine-pdf.ts'
import { examinePicture } from './examine-picture.ts'
import type { Examination, ExaminationRequest } from './file-examiner.ts'

/**
 * The process that examines untrusted files one after the other. A request is a line of JSON on
 * standard input, its answer a line on standard output. The process has no environment, may read
 * only its own code and the files to examine, and may not write. An error ends it, and the server
 * refuses the file.
 */
async function examine({ path, contentType }: ExaminationRequest): Promise<Examination> {
  const bytes = readFileSync(path)
  return contentType === 'application/pdf' ? await examinePdf(bytes) : await examinePicture(contentType, bytes)
}

// The PDF parser throws and catches often; without stack traces it is several times faster.
Error.stackTraceLimit = 0

// The PDF parser logs warnings; standard output is reserved for answers.
console.warn = () => {}

// Ctrl-C and service managers signal the whole process group. The server still finishes its
// requests and then closes standard input.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await examine(JSON.parse(line) as ExaminationRequest))}\n`)
