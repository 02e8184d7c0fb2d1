/**
 * Sends a request before the page's code is loaded, which finds its response and handles a failure
 * (web/api/early-answers.ts). `onText` is called before that code can have it.
 */
export function sendEarly(url: string, init: RequestInit, onText?: (text: string) => void): Promise<Response> {
  const answer = fetch(url, { ...init, signal: AbortSignal.timeout(30_000) }).then((response) => readToTheEnd(response, onText))
  answer.catch(() => {})
  return answer
}

/**
 * Reads the whole response: an unread one occupies its connection, and ends with the time limit.
 */
async function readToTheEnd(answer: Response, onText?: (text: string) => void): Promise<Response> {
  const text = await answer.text()
  try {
    if (answer.ok) onText?.(text)
  } catch {
    // The page reports an answer that it cannot read.
  }
  // The text that is known already: from a body, the browser would read it in a later task.
  return Object.assign(answer, { json: async (): Promise<unknown> => JSON.parse(text) })
}
