import { createHmac } from 'node:crypto'
import { apiPrefix } from '#contract/endpoint.ts'
import { hostileImages, hostilePdf } from './hostile-files.ts'
import type { HostileCourse, HostileParser } from './hostile-inputs.ts'

/**
 * Shapes of input that are known to slow down parsers or to crash them, filled up to the requested
 * size.
 */

const repeated =
  (unit: string, start = '', end = '') =>
  (bytes: number): string =>
    start + unit.repeat(Math.max(0, Math.floor((bytes - start.length - end.length) / unit.length))) + end

/** Numbered units are all different. */
const numbered =
  (unit: (index: number) => string, start = '', end = '') =>
  (bytes: number): string => {
    const units: string[] = []
    for (let length = start.length + end.length, index = 0; ; index += 1) {
      const next = unit(index)
      length += next.length
      if (length > bytes) return start + units.join('') + end
      units.push(next)
    }
  }

const crlf = '\r\n'
const requestOf = (lines: readonly string[], body: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([Buffer.from([...lines, 'Connection: close', '', ''].join(crlf), 'latin1'), body])
const bearer = ({ borrower }: HostileCourse) => `Authorization: Bearer ${borrower.token}`
const host = 'Host: localhost:3000'

/** Node's limit of request line and headers, less the constant part of each request. */
const headBytesMax = 15_000

const query: HostileParser = {
  name: 'query',
  bytesMax: headBytesMax,
  shapes: {
    'one name again and again': repeated('a&'),
    'separators alone': repeated('&'),
    'equal signs': repeated('='),
    'name and value again': repeated('lead_id=x&'),
    'all different': numbered((index) => `p${index}=${index}&`),
    'one long value': repeated('x', 'lead_id='),
    'one long name': repeated('x'),
    escapes: repeated('%41', 'lead_id='),
    'broken escapes': repeated('%', 'lead_id='),
    'overlong escapes': repeated('%c0%ae', 'lead_id='),
    plus: repeated('+', 'lead_id='),
    brackets: repeated('a[]=1&'),
    'nested brackets': repeated('[a]', 'a'),
    prototype: repeated('__proto__[x]=1&'),
    'prefix of the fast path': repeated('a.', 'lead_id=', '!'),
  },
  request: (input, suiteRun) =>
    requestOf([`GET ${apiPrefix}/portal/repayment-schedule?${input.toString()} HTTP/1.1`, host, bearer(suiteRun)]),
}

const path: HostileParser = {
  name: 'path',
  bytesMax: headBytesMax,
  shapes: {
    slashes: repeated('/', '/'),
    backslashes: repeated('\\', '/'),
    'up and up': repeated('../', '/'),
    here: repeated('./', '/'),
    'encoded slashes': repeated('%2f', '/'),
    'percent signs': repeated('%', '/'),
    'encoded percent signs': repeated('%25', '/'),
    'overlong escapes': repeated('%c0%ae', '/'),
    'one long part': repeated('a', '/'),
    'many parts': repeated('a/', '/'),
    'a prefix of a call, again and again': repeated(`${apiPrefix}/portal/`),
    'a long parameter': repeated('a', `${apiPrefix}/auth/users/`),
    'an encoded parameter': repeated('%41', `${apiPrefix}/auth/users/`),
    dots: repeated('.', '/'),
    'an ending that is nearly one': repeated('.a', '/', '.js!'),
    semicolons: repeated(';a', '/'),
  },
  request: (input) => requestOf([`GET ${input.toString()} HTTP/1.1`, host]),
}

const header = (name: string, unit: string, start = '', end = '') => repeated(unit, `${name}: ${start}`, end)

const headers: HostileParser = {
  name: 'headers',
  bytesMax: headBytesMax,
  shapes: {
    'one header again and again': repeated(`x: y${crlf}`, '', 'z: z'),
    'all different': numbered((index) => `x${index}: y${crlf}`, '', 'z: z'),
    'the same host twice': repeated(`host: localhost${crlf}`, '', 'z: z'),
    'a long token': header('authorization', 'a', 'Bearer '),
    'a token of many parts': header('authorization', 'a.', 'Bearer '),
    'a token of nested base64': header('authorization', 'eyJhIjp7', 'Bearer '),
    'forwarded by many': header('x-forwarded-for', '1.1.1.1, '),
    'forwarded by nobody': header('x-forwarded-for', ','),
    'forwarded by an odd address': header('x-forwarded-for', ':'),
    encodings: header('accept-encoding', 'gzip;q=0.1,'),
    languages: header('accept-language', 'en-IN;q=0.9,'),
    'known versions': header('if-none-match', '"a",'),
    ranges: header('range', '0-1,', 'bytes='),
    'a type with parameters': header('content-type', ';a=b', 'application/json'),
    'a type with quotes': header('content-type', ';a="\\"', 'multipart/form-data'),
    cookies: header('cookie', 'a=1; '),
    spaces: header('user-agent', ' ', '', 'x'),
    'a long key': header('idempotency-key', 'k'),
  },
  request: (input, suiteRun, shape) => {
    const target = /versions|ranges|encodings/.test(shape) ? '/login' : `${apiPrefix}/portal/loans-summary`
    return requestOf([`GET ${target} HTTP/1.1`, host, ...(shape.includes('token') ? [] : [bearer(suiteRun)]), input.toString('latin1')])
  },
}

const json: HostileParser = {
  name: 'JSON',
  bytesMax: 64 * 1024,
  shapes: {
    brackets: repeated('['),
    objects: repeated('{"a":'),
    'brackets that open and close': repeated('[],', '[', '0]'),
    quotes: repeated('"'),
    'escaped backslashes': repeated('\\\\', '{"phone":"', '"}'),
    'escaped letters': repeated('\\u0061', '{"phone":"', '"}'),
    'a string without end': repeated('\\"', '"'),
    'all names different': numbered((index) => `"k${index}":1,`, '{', '"z":0}'),
    'all names escaped': numbered((index) => `"\\u0061${index}":1,`, '{', '"z":0}'),
    'one name twice': repeated('"a":1,', '{', '"z":0}'),
    'digits of a number': repeated('1', '{"phone":', '}'),
    'zeros of a fraction': repeated('0', '{"amount":0.', '1}'),
    'zeros at the end': repeated('0', '{"amount":1.', '}'),
    'an exponent': repeated('9', '{"amount":1e', '}'),
    blanks: repeated(' ', '{"phone"', ':"1"}'),
    'blanks after a string': repeated(' ', '["a"', ']'),
    'strings and blanks': repeated('"" ', '[', ']'),
    'a long phone': repeated('9', '{"phone":"', '"}'),
    nul: repeated('\\u0000', '{"phone":"', '"}'),
    surrogates: repeated('\\ud800', '{"phone":"', '"}'),
  },
  request: (input) =>
    requestOf([`POST ${apiPrefix}/auth/login HTTP/1.1`, host, 'Content-Type: application/json', `Content-Length: ${input.length}`], input),
}

const boundary = 'kist-boundary-0123456789'
const part = (disposition: string, more = '') => `--${boundary}${crlf}Content-Disposition: form-data; ${disposition}${more}${crlf}${crlf}`
const filePart = part('name="file"; filename="a.pdf"', `${crlf}Content-Type: application/pdf`)
const formEnd = `${crlf}--${boundary}--${crlf}`

const multipart: HostileParser = {
  name: 'multipart',
  // The largest file; the other parts are added.
  bytesMax: 10_485_760,
  shapes: {
    'a file of zeros': repeated('\0', filePart, formEnd),
    'line ends': repeated(crlf, filePart, formEnd),
    'carriage returns': repeated('\r', filePart, formEnd),
    hyphens: repeated('-', filePart, formEnd),
    'beginnings of a boundary': repeated(`${crlf}--kist-bound`, filePart, formEnd),
    'all of a boundary but its last letter': repeated(`${crlf}--${boundary.slice(0, -1)}`, filePart, formEnd),
    'the boundary without a line': repeated(`--${boundary}`, filePart, formEnd),
    'text fields': repeated(`${part('name="lan"')}x${crlf}`, '', formEnd),
    'all fields different': numbered((index) => `${part(`name="f${index}"`)}x${crlf}`, '', formEnd),
    'many files': repeated(`${filePart}x${crlf}`, '', formEnd),
    'empty parts': repeated(`--${boundary}${crlf}${crlf}`, '', formEnd),
    'a long field': repeated('x', part('name="lan"'), formEnd),
    'a long file name': repeated(
      '%0D',
      `--${boundary}${crlf}Content-Disposition: form-data; name="file"; filename="`,
      `"${crlf}${crlf}x${formEnd}`,
    ),
    'a long header of a part': repeated('x', `--${boundary}${crlf}X: `, `${crlf}${crlf}x${formEnd}`),
    'many headers of a part': repeated(`X: y${crlf}`, `--${boundary}${crlf}`, `${crlf}x${formEnd}`),
    'bytes before the first part': repeated('x', '', `${crlf}${filePart}x${formEnd}`),
    'bytes after the last part': repeated('x', `${filePart}x${formEnd}`),
    'a form without end': repeated('x', filePart),
  },
  request: (input, suiteRun) =>
    requestOf(
      [
        `POST ${apiPrefix}/portal/upload-document HTTP/1.1`,
        host,
        bearer(suiteRun),
        `Content-Type: multipart/form-data; boundary=${boundary}`,
        `Content-Length: ${input.length}`,
      ],
      input,
    ),
}

const webhook: HostileParser = {
  name: 'webhook',
  bytesMax: 1024 * 1024,
  shapes: {
    brackets: repeated('['),
    objects: repeated('{"a":'),
    'nested payload': repeated('{"payload":', '{"event":"x","payload":'),
    quotes: repeated('"'),
    'escaped letters': repeated('\\u0061', '{"event":"', '","payload":{}}'),
    nul: repeated('\\u0000', '{"event":"', '","payload":{}}'),
    'a reference of NUL': repeated(
      '\\u0000',
      '{"event":"payment_link.paid","payload":{"payment_link":{"entity":{"reference_id":"',
      '"}}}}',
    ),
    'a long reference': repeated('r', '{"event":"payment_link.paid","payload":{"payment_link":{"entity":{"reference_id":"', '"}}}}'),
    'a long payment id': repeated('p', '{"event":"payment.captured","payload":{"payment":{"entity":{"id":"', '"}}}}'),
    'a long description': repeated(
      '#',
      '{"event":"payment.captured","payload":{"payment":{"entity":{"id":"pay_x","description":"',
      '"}}}}',
    ),
    'many notes': numbered(
      (index) => `"n${index}":"x",`,
      '{"event":"payment.captured","payload":{"payment":{"entity":{"id":"pay_x","notes":{',
      '"z":0}}}}}',
    ),
    'many names': numbered((index) => `"k${index}":1,`, '{', '"event":"x","payload":{}}'),
    'one name again': repeated('"event":"x",', '{', '"payload":{}}'),
    blanks: repeated(' ', '{"event":"x",', '"payload":{}}'),
    numbers: repeated('1', '{"event":"x","payload":', '}'),
    'not UTF-8': (bytes) => Buffer.alloc(bytes, 0xff),
  },
  request: (input, { portal }) =>
    requestOf(
      [
        `POST ${apiPrefix}/webhooks/razorpay HTTP/1.1`,
        host,
        'Content-Type: application/json',
        `Content-Length: ${input.length}`,
        `X-Razorpay-Signature: ${createHmac('sha256', portal.config.razorpay.webhookSecrets[0] ?? '')
          .update(input)
          .digest('hex')}`,
      ],
      input,
    ),
}

export const hostileParsers: readonly HostileParser[] = [query, path, headers, json, multipart, webhook, hostilePdf, hostileImages]
