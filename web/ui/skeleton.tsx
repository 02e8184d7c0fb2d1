import { cx } from './class-names.ts'

/** A placeholder while loading: give it the height and width of the content. */
export const Skeleton = ({ className }: { className: string }) => <div aria-hidden="true" className={cx('skeleton', className)} />

/** The text beside skeletons, visible and announced. */
export function LoadingText({ children }: { children: string }) {
  return (
    <p role="status" className="mb-3 text-sm text-muted">
      {children}
    </p>
  )
}
