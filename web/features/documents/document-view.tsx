import { useLingui } from '@lingui/react/macro'
import { lazy, Suspense, useCallback, useState } from 'react'
import type { Document } from '#contract/documents.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'

// Larger than all the rest of the portal: only for who asks for it.
const PdfPages = lazy(async () => ({ default: (await import('./pdf-pages.tsx')).PdfPages }))

/** The document itself: a picture, or a PDF by the browser's own viewer where it has one. */
export function DocumentView({ bytes, document }: { bytes: Blob; document: Document }) {
  const { filename } = document.metadata
  if (document.content_type !== 'application/pdf') return <Picture bytes={bytes} name={filename} />
  // Browsers without a viewer of their own would download it instead: Chrome on Android among them.
  return navigator.pdfViewerEnabled ? <PdfFrame bytes={bytes} name={filename} /> : <PdfOnDemand bytes={bytes} name={filename} />
}

function PdfFrame({ bytes, name }: { bytes: Blob; name: string }) {
  const frame = useBytesAsSource<HTMLIFrameElement>(bytes)
  // Without a sandbox, because no browser's PDF viewer starts in one; only bytes that were checked to be a PDF come here.
  return <iframe ref={frame} title={name} className="block h-[max(400px,60dvh)] w-full rounded-md border border-line bg-sunken" />
}

function Picture({ bytes, name }: { bytes: Blob; name: string }) {
  const { t } = useLingui()
  const [broken, setBroken] = useState(false)
  const picture = useBytesAsSource<HTMLImageElement>(bytes)
  if (broken) return <Banner>{t`This picture cannot be shown here. Download it to look at it.`}</Banner>
  return (
    // What a keyboard scrolls has to be able to take the focus.
    <div
      role="region"
      aria-label={name}
      tabIndex={0}
      className="grid max-h-[max(400px,60dvh)] min-h-[400px] place-items-center overflow-auto rounded-md bg-sunken p-3"
    >
      <img ref={picture} alt={name} className="max-w-full" onError={() => setBroken(true)} />
    </div>
  )
}

function PdfOnDemand({ bytes, name }: { bytes: Blob; name: string }) {
  const { t } = useLingui()
  const [asked, setAsked] = useState(false)
  if (asked) {
    return (
      <Suspense fallback={<Skeleton className="h-[400px]" />}>
        <PdfPages bytes={bytes} name={name} />
      </Suspense>
    )
  }
  return (
    <div className="grid min-h-[400px] place-content-center justify-items-center gap-4 rounded-md bg-sunken p-4 text-center">
      <p className="max-w-[24rem] text-muted">{t`Your browser does not show PDF files by itself. You can see the pages here, or download the file.`}</p>
      <Button variant="secondary" icon="eye" onClick={() => setAsked(true)}>
        {t`Show the pages`}
      </Button>
    </div>
  )
}

/** Shows bytes in an element; their address lasts as long as it does. */
function useBytesAsSource<Shown extends HTMLImageElement | HTMLIFrameElement>(bytes: Blob): (shown: Shown) => () => void {
  return useCallback(
    (shown) => {
      const url = URL.createObjectURL(bytes)
      shown.src = url
      return () => URL.revokeObjectURL(url)
    },
    [bytes],
  )
}
