import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

export type PdfText = { text: string; pages: number; title: string; language: string; isTagged: boolean }

/**
 * Reads a PDF's text in order, with blanks between runs. Of Hindi it reads only figures and the
 * title: pdf.js ignores the ActualText of glyphs, which viewers and screen readers use.
 */
export async function readPdf(bytes: Uint8Array): Promise<PdfText> {
  const task = getDocument({ data: new Uint8Array(bytes), useSystemFonts: false, verbosity: 0 })
  const document = await task.promise
  try {
    let text = ''
    for (let number = 1; number <= document.numPages; number += 1) {
      const { items } = await (await document.getPage(number)).getTextContent()
      text += items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join(' ')
    }
    const { info } = await document.getMetadata()
    const metadata = info as { Title?: string; Language?: string }
    const isTagged = (await (await document.getPage(1)).getStructTree()) !== null
    return {
      text: text.replace(/[ \t]+/g, ' '),
      pages: document.numPages,
      title: metadata.Title ?? '',
      language: metadata.Language ?? '',
      isTagged,
    }
  } finally {
    await task.destroy()
  }
}
