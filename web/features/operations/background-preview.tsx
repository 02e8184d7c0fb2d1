import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef } from 'react'
import { ApiError } from '#web/api/api-error.ts'
import { formatCount } from '#web/ui/format.ts'
import { ProgressBar } from '#web/ui/progress-bar.tsx'
import { scrollInDialog } from '#web/ui/scroll-in-dialog.ts'
import type { Progress } from './operation-form.ts'

const askAgainMs = 1_500

/**
 * Repeats a call while the server computes its figures in the background, as long as the component
 * is shown.
 *
 * @returns a function that throws what the call throws, or an AbortError once the component has
 * gone.
 */
export function useBackgroundPreview(onProgress: (progress: Progress) => void) {
  const shown = useRef<AbortController | null>(null)
  useEffect(() => {
    const controller = new AbortController()
    shown.current = controller
    return () => controller.abort()
  }, [])
  return async <T,>(send: () => Promise<T>): Promise<T> => {
    for (;;)
      try {
        return await send()
      } catch (error) {
        const progress = error instanceof ApiError && error.code === 'PreviewInProgress' ? error.problem?.progress : undefined
        if (progress === undefined) throw error
        shown.current?.signal.throwIfAborted()
        onProgress(progress)
        await new Promise((resolve) => setTimeout(resolve, askAgainMs))
        shown.current?.signal.throwIfAborted()
      }
  }
}

type PreviewProgressProps = {
  progress: Progress | null
  /** False if this page sends something as soon as the figures are there. */
  mayLeave: boolean
}

/** The progress of a preview that the server computes in the background; nothing without one. */
export function PreviewProgress({ progress, mayLeave }: PreviewProgressProps) {
  const { t } = useLingui()
  if (progress === null) return null
  const [done, total] = [formatCount(progress.done), formatCount(progress.total)]
  const percent = progress.total === 0 ? 0 : Math.floor((100 * progress.done) / progress.total)
  return (
    <div ref={scrollInDialog}>
      <ProgressBar
        label={t`Computing the effect`}
        percent={percent}
        text={
          mayLeave
            ? t`Computing the effect: ${done} of ${total} loans. You can close this; it goes on.`
            : t`Computing the effect: ${done} of ${total} loans. Stay on this page: nothing is sent until this is done.`
        }
      />
    </div>
  )
}
