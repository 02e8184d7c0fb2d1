import { useLingui } from '@lingui/react/macro'
import { lazy, Suspense, useCallback, useState, type ReactNode } from 'react'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { saveFile } from '#web/loan/generate-document.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import type { documentBytesQuery } from './document-queries.ts'

type PreviewDialogProps = {
  filename: string
  /** False: a picture. */
  isPdf: boolean
  query: ReturnType<typeof documentBytesQuery>
  /** The text below the file's name. */
  detail: ReactNode
  onClose: () => void
}

/** A file as it is stored; at least 400 px high (spec §9). */
export function PreviewDialog({ filename, isPdf, query, detail, onClose }: PreviewDialogProps) {
  const { t } = useLingui()
  const bytes = useLoad(query)
  return (
    <Dialog
      open
      onClose={onClose}
      title={filename}
      size="lg"
      description={detail}
      actions={
        <>
          <Button variant="secondary" onClick={onClose}>
            {t`Close`}
          </Button>
          <Button
            icon="download"
            state={bytes.data ? 'normal' : bytes.isError ? 'disabled' : 'loading'}
            onClick={() => bytes.data && saveFile(bytes.data, filename)}
          >
            {t`Download`}
          </Button>
        </>
      }
    >
      <div className="mt-3 min-h-[400px]">
        <Loaded
          query={bytes}
          failed={t`Failed to load the document`}
          loading={
            <div role="status">
              <span className="sr-only">{t`Loading the document...`}</span>
              <Skeleton className="h-[400px]" />
            </div>
          }
        >
          {(data) => <FileView bytes={data} filename={filename} isPdf={isPdf} />}
        </Loaded>
      </div>
    </Dialog>
  )
}

// pdf.js is larger than the rest of the portal: loaded when a PDF is opened.
const PdfPages = lazy(async () => ({ default: (await import('./pdf-pages.tsx')).PdfPages }))

/** An image, or the pages of a PDF, drawn the same in every browser. */
function FileView({ bytes, filename, isPdf }: { bytes: Blob; filename: string; isPdf: boolean }) {
  if (!isPdf) return <Picture bytes={bytes} name={filename} />
  return (
    <Suspense fallback={<Skeleton className="h-[400px]" />}>
      <PdfPages bytes={bytes} name={filename} />
    </Suspense>
  )
}

function Picture({ bytes, name }: { bytes: Blob; name: string }) {
  const { t } = useLingui()
  const [isBroken, setIsBroken] = useState(false)
  const picture = useBytesAsSource(bytes)
  if (isBroken) return <Banner>{t`This picture cannot be shown here. Download it to view it.`}</Banner>
  return (
    // A scrollable region must be focusable for keyboard users.
    <div
      role="region"
      aria-label={name}
      tabIndex={0}
      className="grid max-h-[max(400px,60dvh)] min-h-[400px] place-items-center overflow-auto rounded-md bg-sunken p-3"
    >
      <img ref={picture} alt={name} className="max-w-full" onError={() => setIsBroken(true)} />
    </div>
  )
}

/** Shows bytes in an image, and revokes their URL when the image is removed. */
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
