import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { ApiError } from '#web/api/api-error.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import type { Load } from '#web/app/loading/use-load.ts'
import { paths } from '#web/app/paths.ts'
import { Banner } from '#web/ui/banner.tsx'
import { TextLink } from '#web/ui/links.tsx'
import { notFoundText } from './refusal-texts.ts'
import { RecordSkeleton } from './page-skeletons.tsx'

type LoadedRecordProps<Data> = { query: Load<Data> & { refetch: () => unknown }; children: (data: Data) => ReactNode }

/** The page of a loan or a proposal in each of its states. A failed one leads back to the lists. */
export function LoadedRecord<Data>({ query, children }: LoadedRecordProps<Data>) {
  const { t, i18n } = useLingui()
  const { data, error } = query
  const isMissing = data === undefined && error instanceof ApiError && error.code === 'NotFound'
  return (
    <>
      {data === undefined && error !== null && (
        <p className="mb-2 text-sm">
          <TextLink to={paths.operations}>{t`Operations`}</TextLink>
        </p>
      )}
      {isMissing ? (
        <>
          <h1 className="mb-4">{t`Not found`}</h1>
          <Banner tone="caution" icon="info" live="alert">
            {i18n._(notFoundText)}
          </Banner>
        </>
      ) : (
        <Loaded query={query} loading={<RecordSkeleton />}>
          {children}
        </Loaded>
      )}
    </>
  )
}
