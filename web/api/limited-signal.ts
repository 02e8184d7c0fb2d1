/**
 * A signal that aborts after a time, with a TimeoutError, or with any of these signals. By hand where the browser has no
 * `AbortSignal.any`: Chrome before 116, Safari before 17.4.
 */
export function limitedSignal(timeoutMs: number, ...signals: readonly AbortSignal[]): AbortSignal {
  const all = [AbortSignal.timeout(timeoutMs), ...signals]
  if ('any' in AbortSignal) return AbortSignal.any(all)
  const controller = new AbortController()
  for (const signal of all) {
    const follow = (): void => controller.abort(signal.reason)
    if (signal.aborted) follow()
    else signal.addEventListener('abort', follow, { once: true, signal: controller.signal })
  }
  return controller.signal
}
