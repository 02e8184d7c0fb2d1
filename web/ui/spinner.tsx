/** Turns slowly where motion is reduced: it must still be seen to be alive. Decorative; say what is loading in words beside it. */
export function Spinner({ className = '' }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={`inline-block size-[1.125em] flex-none animate-[spin_.8s_linear_infinite] rounded-full border-2 border-current border-r-transparent motion-reduce:[animation-duration:3s] ${className}`}
    />
  )
}
