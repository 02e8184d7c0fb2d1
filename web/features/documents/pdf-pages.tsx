import { useLingui } from '@lingui/react/macro'
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
// Runs on the page's thread: our content security policy allows no worker from a URL.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'
import { useEffect, useRef, useState } from 'react'
import { Banner } from '#web/ui/banner.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'

/** The maximum of pages drawn: phones have memory for no more. */
const pagesMax = 20

/**
 * A PDF drawn page by page. No script in it runs: pdf.js draws, and shows neither forms nor links.
 */
export function PdfPages({ bytes, name }: { bytes: Blob; name: string }) {
  const { t } = useLingui()
  const [read, setRead] = useState<PDFDocumentProxy | 'failed' | null>(null)

  useEffect(() => {
    let gone = false
    let open: ReturnType<typeof getDocument> | undefined
    void bytes.arrayBuffer().then(async (data) => {
      if (gone) return
      open = getDocument({ data, useSystemFonts: true, enableXfa: false })
      try {
        const found = await open.promise
        if (!gone) setRead(found)
      } catch {
        if (!gone) setRead('failed')
      }
    })
    return () => {
      gone = true
      void open?.destroy()
    }
  }, [bytes])

  if (read === null) return <Skeleton className="h-[400px]" />
  if (read === 'failed') return <Banner>{t`These pages cannot be shown here. Download the file to view it.`}</Banner>
  const total = read.numPages
  const pages = Array.from({ length: Math.min(total, pagesMax) }, (_, index) => index + 1)
  return (
    // A scrollable region must be focusable for keyboard users.
    <div
      role="region"
      aria-label={name}
      tabIndex={0}
      className="max-h-[max(400px,60dvh)] min-h-[400px] space-y-3 overflow-auto rounded-md bg-sunken p-3"
    >
      {pages.map((page) => (
        <PdfPage key={page} pdf={read} number={page} label={t`${name}, page ${page} of ${total}`} />
      ))}
      {total > pagesMax && <p className="text-sm text-muted">{t`The file has ${total} pages. Download it to see them all.`}</p>}
    </div>
  )
}

function PdfPage({ pdf, number, label }: { pdf: PDFDocumentProxy; number: number; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    let gone = false
    void (async () => {
      const page = await pdf.getPage(number)
      const target = canvas.current
      if (gone || target === null) return
      const width = target.parentElement?.clientWidth ?? 320
      const scale = (width * Math.min(window.devicePixelRatio, 2)) / page.getViewport({ scale: 1 }).width
      const viewport = page.getViewport({ scale })
      target.width = viewport.width
      target.height = viewport.height
      await page.render({ canvas: target, viewport }).promise
    })().catch(() => {
      // Closed while drawing, or one page cannot be drawn: the others stay.
    })
    return () => {
      gone = true
    }
  }, [pdf, number])
  return <canvas ref={canvas} role="img" aria-label={label} className="block w-full bg-raised shadow-1" />
}
