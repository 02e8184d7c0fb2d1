import { useLingui } from '@lingui/react/macro'
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
// Run in the page itself: our content security policy lets no script make a worker of an address.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'
import { useEffect, useRef, useState } from 'react'
import { Banner } from '#web/ui/banner.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'

/** So many pages are drawn: a phone has memory for no more. */
const pagesMax = 20

/** A PDF drawn page by page. No script of it runs: pdf.js draws, and neither forms nor links are shown. */
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
  if (read === 'failed') return <Banner>{t`These pages cannot be shown here. Download the file to look at it.`}</Banner>
  const total = read.numPages
  const pages = Array.from({ length: Math.min(total, pagesMax) }, (_, index) => index + 1)
  return (
    // What a keyboard scrolls has to be able to take the focus.
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
      // Closed while it was being drawn, or one page that cannot be drawn: the others stand.
    })
    return () => {
      gone = true
    }
  }, [pdf, number])
  return <canvas ref={canvas} role="img" aria-label={label} className="block w-full bg-raised shadow-1" />
}
