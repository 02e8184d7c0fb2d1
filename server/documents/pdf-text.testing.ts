import jsQr from 'jsqr'
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

/** Dots per point: 216 dots per inch, as a phone sees a printed page. */
const qrScale = 3

type NodeCanvas = { create(width: number, height: number): { canvas: HTMLCanvasElement; context: CanvasRenderingContext2D } }

/** Renders the last page of a PDF and reads its QR code. Null if a scanner finds none. */
export async function readQrCode(bytes: Uint8Array): Promise<string | null> {
  const task = getDocument({ data: new Uint8Array(bytes), useSystemFonts: false, verbosity: 0 })
  const document = await task.promise
  try {
    const page = await document.getPage(document.numPages)
    const viewport = page.getViewport({ scale: qrScale })
    const { canvas, context } = (document.canvasFactory as NodeCanvas).create(Math.ceil(viewport.width), Math.ceil(viewport.height))
    await page.render({ canvas, canvasContext: context, viewport }).promise
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height)
    return jsQr(data, width, height)?.data ?? null
  } finally {
    await task.destroy()
  }
}
