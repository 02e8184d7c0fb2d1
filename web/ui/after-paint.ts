/** Runs `work` once the next frame is painted; at once in a background tab, which paints none. */
export function afterPaint(work: () => void): void {
  if (document.hidden) work()
  // The current frame is painted before the next task.
  else requestAnimationFrame(() => setTimeout(work))
}
