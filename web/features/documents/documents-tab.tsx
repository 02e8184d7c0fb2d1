import { useLingui } from '@lingui/react/macro'
import { Suspense, useState, type ReactNode } from 'react'
import type { Document } from '#contract/documents.ts'
import type { Loan } from '#contract/loans.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Banner } from '#web/ui/banner.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Later } from '#web/ui/later.tsx'
import { createLazyPart, usePreloadWhenIdle } from '#web/ui/lazy-part.tsx'
import { focusPartWhenRemoved } from '#web/ui/move-focus.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { DocumentDetail, DocumentList } from './document-list.tsx'
import { documentBytesQuery, documentsQuery, useFailedUpload } from './document-queries.ts'
import { GenerateCard } from './generate-card.tsx'
import { PapersCard } from './papers-card.tsx'
import { UploadFailure } from './upload-failure.tsx'

/**
 * The generated documents of a loan, its uploads and the lender's papers (spec §2 'Documents tab').
 * The papers appear after the uploads above them have loaded, so that nothing moves.
 */
export function DocumentsTab({ loan }: { loan: Loan }) {
  const uploads = useLoad(documentsQuery(loan))
  return (
    <div className="grid items-start gap-4 md:gap-5 lg:grid-cols-2 lg:grid-rows-[auto_1fr]">
      <GenerateCard loan={loan} />
      <Later loading={<Skeleton className="h-120 rounded-lg" />}>
        <div className="min-w-0 lg:row-span-2">
          <UploadsCard loan={loan} />
        </div>
        {!uploads.isPending && <PapersCard loan={loan} />}
      </Later>
    </div>
  )
}

const PreviewDialog = createLazyPart(async () => (await import('./preview-dialog.tsx')).PreviewDialog)
const UploadDialog = createLazyPart(async () => (await import('./upload-dialog.tsx')).UploadDialog)

/** The borrower's uploads, and the button to upload more (spec §2 'Documents tab'). */
function UploadsCard({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  usePreloadWhenIdle(UploadDialog)
  usePreloadWhenIdle(PreviewDialog)
  const permission = usePermission('document:create')
  const documents = useLoad(documentsQuery(loan))
  const [isUploading, setUploading] = useState(false)
  const [added, setAdded] = useState<Document | null>(null)
  const [shown, setShown] = useState<Document | null>(null)
  const { failed, setFailed } = useFailedUpload(loan)
  const name = added?.metadata.filename
  let obstacle: string | null = null
  if (loan.lead_id === null) obstacle = t`Lead ID not available for document upload`
  else if (loan.loan_status === 'OVERDUE') obstacle = t`Documents can be uploaded once nothing is overdue`
  else if (loan.loan_status !== 'ACTIVE') obstacle = t`Documents can be uploaded for an active loan only`

  const card = (list: ReactNode) => (
    <Card labelledBy="documents">
      <CardHead id="documents" title={t`Your documents`} subtitle={t`What you have shared with your lender`}>
        <div className="max-w-72 md:ml-auto md:text-right">
          <ActionButton
            endsRight
            variant="secondary"
            icon="upload"
            permission={permission}
            disabledReason={obstacle}
            onClick={() => {
              setAdded(null)
              setFailed(null)
              setUploading(true)
            }}
          >
            {t`Upload`}
          </ActionButton>
        </div>
      </CardHead>
      <div role="status">
        {added && (
          <Banner tone="positive" className="mb-4">
            <span className="wrap-anywhere">{t`${name} has been uploaded.`}</span>
          </Banner>
        )}
      </div>
      {failed && (
        <UploadFailure {...failed} className="mb-4" title={<p className="font-semibold wrap-anywhere">{failed.filename}</p>}>
          <Button ref={focusPartWhenRemoved} variant="quiet" size="sm" className="-ml-3" onClick={() => setFailed(null)}>
            {t`Close`}
          </Button>
        </UploadFailure>
      )}
      {list}
      <Suspense>
        {isUploading && <UploadDialog loan={loan} onClose={() => setUploading(false)} onDone={setAdded} onFailedLater={setFailed} />}
        {shown && (
          <PreviewDialog
            filename={shown.metadata.filename}
            isPdf={shown.content_type === 'application/pdf'}
            query={documentBytesQuery(shown)}
            detail={<DocumentDetail document={shown} />}
            onClose={() => setShown(null)}
          />
        )}
      </Suspense>
    </Card>
  )
  return (
    <Loaded query={documents} failed={t`Failed to load documents`} loading={card(<Skeleton className="h-11" />)}>
      {(list) => card(<DocumentList documents={list} onOpen={setShown} />)}
    </Loaded>
  )
}
