import type { ReactNode } from 'react'
import './bottom-bar.css'
import { cx } from './class-names.ts'

const fixedOnPhone =
  'bottom-bar max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-15 max-md:mt-0 max-md:bg-raised max-md:px-4 max-md:pt-2.5 max-md:pb-[calc(0.625rem+env(safe-area-inset-bottom))] max-md:shadow-2'

/**
 * The main action of a leaf with its amount: at the leaf's foot, on the phone fixed at the bottom of the screen.
 * `message` says above both why the action is not possible or how it failed, so that it is seen where the press was.
 * Not `fixed` where nothing can be done: then it need not be in reach.
 */
export function BottomBar({ fixed = true, message, children }: { fixed?: boolean; message?: ReactNode; children: ReactNode }) {
  return (
    <div className={cx('mt-4 border-t border-line pt-4 print:hidden', fixed && fixedOnPhone)}>
      {message && <div className="mb-2.5 md:mb-4">{message}</div>}
      <div className="flex items-center justify-between gap-4">{children}</div>
    </div>
  )
}
