import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import { AssumedPill } from '#web/app/shell/assumed-pill.tsx'
import { Wordmark } from '#web/app/brand.tsx'

type WaitingScreenProps = { title: string; text?: string; picture?: ReactNode; children?: ReactNode }

/** The full-screen frame of the waiting page: nothing else can be reached while money is on its way. */
export function WaitingScreen({ title, text, picture, children }: WaitingScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Each new heading is a new step: it takes the focus, and so is read out with what follows it.
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <div
      role="dialog"
      aria-modal="true"
      aria-labelledby="waiting-title"
      className="fixed inset-0 z-30 flex flex-col overflow-auto bg-surface"
    >
      <header className="on-spine sticky top-0 z-10 flex-none">
        <div className="flex min-h-bar items-center bg-spine px-4 text-on-spine">
          <Wordmark height={26} />
        </div>
        <AssumedPill bar />
      </header>
      <main className="m-auto w-full max-w-[30rem] px-4 py-8">
        {picture}
        <div className="mb-6 text-center">
          <h1 ref={heading} id="waiting-title" tabIndex={-1}>
            {title}
          </h1>
          <p role="status" className="text-balance text-muted">
            {text}
          </p>
        </div>
        <div className="space-y-4">{children}</div>
      </main>
    </div>
  )
}
