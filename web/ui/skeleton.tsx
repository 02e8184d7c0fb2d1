import { cx } from './class-names.ts'

/** The shape of something that is loading: give it the height and width of what will stand there. */
export const Skeleton = ({ className }: { className: string }) => <div aria-hidden="true" className={cx('skeleton', className)} />

/** The words that go with skeletons: seen, and read out when they come. */
export function LoadingText({ children }: { children: string }) {
  return (
    <p role="status" className="mb-3 text-sm text-muted">
      {children}
    </p>
  )
}
