import { useLingui } from '@lingui/react/macro'
import { Suspense, useState } from 'react'
import type { LoanPaperOnWire } from '#contract/loan-papers.ts'
import type { Loan } from '#contract/loans.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { DayText } from '#web/loan/days.tsx'
import { paperText } from '#web/loan/document-names.ts'
import { Card, CardHead } from '#web/ui/card.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { formatBytes } from '#web/ui/format.ts'
import { createLazyPart, usePreloadWhenIdle } from '#web/ui/lazy-part.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { FileRow } from './document-list.tsx'
import { paperBytesQuery, papersQuery } from './document-queries.ts'

const PreviewDialog = createLazyPart(async () => (await import('./preview-dialog.tsx')).PreviewDialog)

/** What the borrower signed or was given with the loan, as the lender published it. */
export function PapersCard({ loan }: { loan: Loan }) {
  const { t } = useLingui()
  usePreloadWhenIdle(PreviewDialog)
  const papers = useLoad(papersQuery(loan))
  const [shown, setShown] = useState<LoanPaperOnWire | null>(null)
  return (
    <Card labelledBy="papers">
      <CardHead id="papers" title={t`Papers from your lender`} subtitle={t`What you signed or were given with the loan`} />
      <Loaded
        query={papers}
        failed={t`Failed to load papers`}
        failure="note"
        loading={<Skeleton className="h-11" />}
        isEmpty={(list) => list.length === 0}
        empty={<p className="border-t border-rule pt-4 text-muted">{t`Your lender has not added any papers yet`}</p>}
      >
        {(list) => (
          <ul className="border-t border-rule">
            {list.map((paper) => (
              <FileRow key={paper.id} filename={paper.filename} icon="document" onOpen={() => setShown(paper)}>
                <PaperText paper={paper} />
              </FileRow>
            ))}
          </ul>
        )}
      </Loaded>
      {shown && (
        <Suspense>
          <PreviewDialog
            filename={shown.filename}
            isPdf
            query={paperBytesQuery(shown)}
            detail={<PaperText paper={shown} isNamed />}
            onClose={() => setShown(null)}
          />
        </Suspense>
      )}
    </Card>
  )
}

/** Digits of a checksum that are enough to tell files apart by eye; the whole one can be copied. */
const digitsShown = 8

/** 'Key facts statement', its file, date and checksum. `isNamed`: the file is named elsewhere. */
function PaperText({ paper, isNamed = false }: { paper: LoanPaperOnWire; isNamed?: boolean }) {
  const { t, i18n } = useLingui()
  const { filename, size_bytes: size, published_at: at, sha256 } = paper
  return (
    <div className="min-w-0">
      <p>{i18n._(paperText[paper.paper])}</p>
      <p className="text-sm wrap-anywhere text-muted tabular-nums">
        {!isNamed && `${filename} · `}
        {formatBytes(size)}
        {at && (
          <>
            {' '}
            · <DayText day={dayInIndia(at)} />
          </>
        )}
      </p>
      <p className="flex flex-wrap items-center gap-x-1 text-sm text-muted">
        <span className="tabular-nums" title={sha256}>
          {t`SHA-256`} {sha256.slice(0, digitsShown)}…
        </span>
        <CopyButton text={sha256} of={t`SHA-256`} />
      </p>
    </div>
  )
}
