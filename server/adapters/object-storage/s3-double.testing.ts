import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

type S3Double = {
  url: string
  fail(on: boolean): void
  /** Sets the age of an object. */
  age(key: string, ageMs: number): void
  close(): Promise<void>
}

const pageSize = 20

/**
 * The part of the S3 API that the official client uses here, in memory. Pages are short, so that
 * tests cover paging.
 */
export async function startS3Double(bucket: string): Promise<S3Double> {
  const objects = new Map<string, { bytes: Buffer; at: Date }>()
  let isFailing = false
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://s3')
    const body = await buffer(request)
    const key = decodeURIComponent(url.pathname.slice(bucket.length + 2))
    const answer = (status: number, content: string | Buffer = '', headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(content)
    const refuse = (status: number, code: string) =>
      answer(status, request.method === 'HEAD' ? '' : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`)
    if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) return refuse(403, 'AccessDenied')
    if (isFailing) return refuse(503, 'ServiceUnavailable')
    if (url.searchParams.has('list-type')) return answer(200, listed(objects, url.searchParams))
    const found = objects.get(key)
    switch (request.method) {
      case 'PUT': {
        const copied = request.headers['x-amz-copy-source']
        if (copied !== undefined) {
          const source = objects.get(decodeURIComponent(String(copied)).replace(/^\/?[^/]+\//, ''))
          if (!source) return refuse(404, 'NoSuchKey')
          objects.set(key, { bytes: source.bytes, at: new Date() })
          return answer(200, '<?xml version="1.0"?><CopyObjectResult><ETag>"x"</ETag></CopyObjectResult>')
        }
        objects.set(key, { bytes: body, at: new Date() })
        return answer(200, '', { etag: '"x"' })
      }
      case 'DELETE':
        objects.delete(key)
        return answer(204)
      default: {
        if (!found) return refuse(404, 'NoSuchKey')
        const [, first = '0', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
        const part = found.bytes.subarray(Number(first), last === '' ? undefined : Number(last) + 1)
        const headers = {
          'content-length': String(part.length),
          'last-modified': found.at.toUTCString(),
          'content-type': 'application/octet-stream',
        }
        return answer(last === '' ? 200 : 206, request.method === 'HEAD' ? '' : part, headers)
      }
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fail: (on) => (isFailing = on),
    age: (key, ageMs) => {
      const found = objects.get(key)
      if (found) objects.set(key, { ...found, at: new Date(Date.now() - ageMs) })
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function listed(objects: ReadonlyMap<string, { bytes: Buffer; at: Date }>, query: URLSearchParams): string {
  const after = query.get('continuation-token') ?? ''
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after).sort()
  const page = keys.slice(0, pageSize)
  const contents = page.map(
    (key) =>
      `<Contents><Key>${key}</Key><Size>${objects.get(key)?.bytes.length}</Size><LastModified>${objects.get(key)?.at.toISOString()}</LastModified></Contents>`,
  )
  const more =
    keys.length > pageSize
      ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${page.at(-1)}</NextContinuationToken>`
      : '<IsTruncated>false</IsTruncated>'
  return `<?xml version="1.0"?><ListBucketResult>${contents.join('')}${more}</ListBucketResult>`
}
