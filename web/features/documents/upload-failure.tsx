import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { ApiError } from '#web/api/api-error.ts'
import { Banner } from '#web/ui/banner.tsx'
import { useUploadFailureText } from './upload-texts.ts'

type UploadFailureProps = {
  error: unknown
  filename: string
  className?: string
  /** Before the reason. */
  title?: ReactNode
  /** After it. */
  children?: ReactNode
}

/** Why a file was not uploaded. */
export function UploadFailure({ error, filename, className, title, children }: UploadFailureProps) {
  const { t } = useLingui()
  const isTypeRefused = error instanceof ApiError && error.code === 'FileTypeUnsupported'
  const ending = /\.([^.]+)$/.exec(filename)?.[1]?.toUpperCase()
  const text = useUploadFailureText(error)
  return (
    <Banner tone="danger" live="alert" {...(className !== undefined && { className })}>
      {title}
      <p>{text}</p>
      {isTypeRefused && ending !== undefined && (
        <p>{t`The name of this file ends with ${ending}, but its content is something else. Save or scan the document again, then choose the new file.`}</p>
      )}
      {children}
    </Banner>
  )
}
