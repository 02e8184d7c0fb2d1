import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { Document } from '#contract/documents.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { DayText } from '#web/loan/days.tsx'
import { uploadTypeText } from '#web/loan/document-names.ts'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { formatBytes } from '#web/ui/format.ts'
import { Icon } from '#web/ui/icon.tsx'
import { PermissionReason } from '#web/ui/permission-reason.tsx'

/** The uploads of a loan, newest first. */
export function DocumentList({ documents, onOpen }: { documents: readonly Document[]; onOpen: (document: Document) => void }) {
  const { t } = useLingui()
  const permission = usePermission('document:read')
  if (documents.length === 0) return <p className="border-t border-rule pt-4 text-muted">{t`No documents uploaded yet`}</p>
  return (
    <>
      <ul className="border-t border-rule">
        {documents.map((document) => (
          <FileRow
            key={document.document_id}
            filename={document.metadata.filename}
            icon={document.content_type === 'application/pdf' ? 'document' : 'image'}
            showReason={false}
            onOpen={() => onOpen(document)}
          >
            <div className="min-w-0">
              <p className="wrap-anywhere">{document.metadata.filename}</p>
              <DocumentDetail document={document} />
            </div>
          </FileRow>
        ))}
      </ul>
      <PermissionReason permission={permission} className="mt-2" />
    </>
  )
}

type FileRowProps = { filename: string; icon: 'document' | 'image'; showReason?: boolean; onOpen: () => void; children: ReactNode }

/** One file of a list, with the button that opens it. */
export function FileRow({ filename, icon, showReason = true, onOpen, children }: FileRowProps) {
  const { t } = useLingui()
  const permission = usePermission('document:read')
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 gap-y-1 border-b border-line py-3 last:border-b-0 md:grid-cols-[auto_minmax(0,1fr)_auto]">
      <span className="grid size-target place-items-center rounded-sm bg-brand-soft text-on-brand-soft">
        <Icon name={icon} />
      </span>
      {children}
      <div className="col-start-2 -ml-3 md:col-start-3 md:-mr-3 md:ml-0">
        <ActionButton variant="quiet" size="sm" icon="eye" permission={permission} showReason={showReason} onClick={onOpen}>
          {t`View`}
          <span className="sr-only"> {filename}</span>
        </ActionButton>
      </div>
    </li>
  )
}

/** 'Transcript · 1.2 MB · 14 Nov 2026'. */
export function DocumentDetail({ document }: { document: Document }) {
  const { i18n } = useLingui()
  return (
    <p className="text-sm text-muted tabular-nums">
      {i18n._(uploadTypeText[document.metadata.document_type])} · {formatBytes(document.size_bytes)} ·{' '}
      <DayText day={dayInIndia(document.created_at)} />
    </p>
  )
}
