import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

export type PdfText = { text: string; pages: number; title: string; language: string; isTagged: boolean }

/**
 * What a reader of a PDF reads: its text in order, blanks between runs. Of Hindi it reads the figures and the title only: it does not
 * know the letters that stand beside the glyphs (ActualText), which viewers and screen readers do.
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
    const said = info as { Title?: string; Language?: string }
    const isTagged = (await (await document.getPage(1)).getStructTree()) !== null
    return {
      text: text.replace(/[ \t]+/g, ' '),
      pages: document.numPages,
      title: said.Title ?? '',
      language: said.Language ?? '',
      isTagged,
    }
  } finally {
    await task.destroy()
  }
}
