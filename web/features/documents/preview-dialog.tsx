import { useLingui } from '@lingui/react/macro'
import type { Document } from '#contract/documents.ts'
import { useLoad } from '#web/app/loading/use-load.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { FailurePanel } from '#web/app/loading/failure-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { DocumentDetail } from './document-list.tsx'
import { documentBytesQuery } from './document-queries.ts'
import { DocumentView } from './document-view.tsx'
import { saveFile } from '#web/loan/save-file.ts'

/** An upload as it is stored; at least 400 px high (spec §9). */
export function PreviewDialog({ document, onClose }: { document: Document; onClose: () => void }) {
  const { t } = useLingui()
  const bytes = useLoad(documentBytesQuery(document))
  const { filename } = document.metadata
  return (
    <Dialog
      open
      onClose={onClose}
      title={filename}
      size="lg"
      description={<DocumentDetail document={document} />}
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
        {bytes.data ? (
          <DocumentView bytes={bytes.data} document={document} />
        ) : bytes.isError ? (
          <FailurePanel
            error={bytes.error}
            title={t`Failed to load the document`}
            onRetry={() => void bytes.refetch()}
            isRetrying={bytes.isFetching}
          />
        ) : (
          <div role="status">
            <span className="sr-only">{t`Loading the document...`}</span>
            <Skeleton className="h-[400px]" />
          </div>
        )}
      </div>
    </Dialog>
  )
}
