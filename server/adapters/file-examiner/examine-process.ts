import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { examinePdf } from './examine-pdf.ts'
import { examinePicture } from './examine-picture.ts'
import type { Examination, ExaminationRequest } from './file-examiner.ts'

/**
 * The process that examines untrusted files, one after the other: a request is a line of JSON on standard input, its answer a
 * line on standard output. It has no environment, may read its own code and the files to examine, and may write nothing.
 * An error ends it, and the server refuses the file.
 */
async function examine({ path, contentType }: ExaminationRequest): Promise<Examination> {
  const bytes = readFileSync(path)
  return contentType === 'application/pdf' ? await examinePdf(bytes) : await examinePicture(contentType, bytes)
}

// The parser of PDFs throws and catches where it tries. Without stack traces that is several times faster.
Error.stackTraceLimit = 0

// The parser of PDFs warns on the console of what it meets. Standard output is for answers alone.
console.warn = () => {}

// Ctrl-C and a service manager tell the whole group to stop. The server still answers what it began, and closes standard input after it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await examine(JSON.parse(line) as ExaminationRequest))}\n`)
