import * as z from 'zod/mini'
import { apiPrefix, type Endpoint, type RequestOf, type ResponseOf } from '#contract/endpoint.ts'
import { ApiError, createConnectionError } from './api-error.ts'
import { readErrorResponse, readToken, reportRefusal } from './call.ts'

/**
 * A large file on a slow network takes minutes; an upload without progress for this long has
 * failed.
 */
const stalledMs = 60_000

type UploadOptions = {
  signal: AbortSignal
  /**
   * Called with the share that was sent, from 0 to 1. At 1 all is handed to the network, and the
   * server may have the file.
   */
  onProgress: (sent: number) => void
}

/**
 * Sends one file with its text fields. Uses XMLHttpRequest because fetch reports no upload
 * progress. Rejects with ApiError, or with the AbortError of `signal`.
 */
export async function upload<E extends Endpoint>(
  target: E,
  { body }: RequestOf<E> & { body: Record<string, string | undefined> },
  file: File,
  { signal, onProgress }: UploadOptions,
): Promise<ResponseOf<E>> {
  const token = await readToken(signal)
  if (token === null) throw new ApiError({ kind: 'unauthorized' })
  const form = new FormData()
  // The fields come first: the server reads them before the file.
  for (const [name, value] of Object.entries(body)) if (value !== undefined) form.append(name, value)
  form.append('file', file)

  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    const abort = (): void => xhr.abort()
    let isStalled = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const restartTimer = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        isStalled = true
        xhr.abort()
      }, stalledMs)
    }
    xhr.upload.addEventListener('progress', ({ loaded, total }) => {
      restartTimer()
      if (total > 0) onProgress(loaded / total)
    })
    xhr.addEventListener('load', () => {
      const json = parseJson(xhr.responseText)
      if (xhr.status >= 200 && xhr.status < 300) {
        const read = z.safeDecode(target.response, json as never)
        if (read.success) resolve(read.data as ResponseOf<E>)
        else reject(new ApiError({ kind: 'server_error', status: xhr.status, cause: read.error }))
        return
      }
      if (xhr.status === 401) reportRefusal(token)
      reject(readErrorResponse(xhr.status, json, xhr.getResponseHeader('retry-after')))
    })
    xhr.addEventListener('error', () => reject(createConnectionError()))
    xhr.addEventListener('abort', () => reject(isStalled ? new ApiError({ kind: 'network_error', network: 'timeout' }) : signal.reason))
    xhr.addEventListener('loadend', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    })
    signal.addEventListener('abort', abort)
    xhr.open(target.method, apiPrefix + target.path)
    xhr.setRequestHeader('authorization', `Bearer ${token}`)
    xhr.setRequestHeader('accept', 'application/json')
    restartTimer()
    xhr.send(form)
    if (signal.aborted) xhr.abort()
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
