import { useLingui } from '@lingui/react/macro'
import { lazy, Suspense, useCallback, useState } from 'react'
import type { Document } from '#contract/documents.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'

// Larger than all the rest of the portal: loaded when a PDF is opened.
const PdfPages = lazy(async () => ({ default: (await import('./pdf-pages.tsx')).PdfPages }))

/** The document itself: a picture, or the pages of a PDF, drawn alike in every browser. */
export function DocumentView({ bytes, document }: { bytes: Blob; document: Document }) {
  const { filename } = document.metadata
  if (document.content_type !== 'application/pdf') return <Picture bytes={bytes} name={filename} />
  return (
    <Suspense fallback={<Skeleton className="h-[400px]" />}>
      <PdfPages bytes={bytes} name={filename} />
    </Suspense>
  )
}

function Picture({ bytes, name }: { bytes: Blob; name: string }) {
  const { t } = useLingui()
  const [broken, setBroken] = useState(false)
  const picture = useBytesAsSource(bytes)
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

/** Shows bytes in a picture; their address lasts as long as it does. */
function useBytesAsSource(bytes: Blob): (shown: HTMLImageElement) => () => void {
  return useCallback(
    (shown) => {
      const url = URL.createObjectURL(bytes)
      shown.src = url
      return () => URL.revokeObjectURL(url)
    },
    [bytes],
  )
}
