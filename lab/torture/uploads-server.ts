import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { apiPrefix } from '#contract/endpoint.ts'
import { freePort } from '#server/database/free-port.ts'

/** A portal process that can be killed, optionally on a disk of a few megabytes. */
export type UploadsServer = {
  process: ChildProcess
  /** A path in the data directory as seen from outside the server's mount namespace. */
  path(name: string): string
  signIn(phone: string): Promise<string>
  upload(token: string, loan: { lan: string; leadId: string }, content: Buffer): Promise<{ status: number; documentId: string }>
  get(path: string, token: string): Promise<{ status: number; body: Record<string, unknown> }>
  sha256Of(documentId: string, token: string): Promise<string>
  kill(): Promise<void>
}

export type UploadsServerOptions = {
  databaseUrl: string
  ownerUrl: string
  directory: string
  diskMegabytes: number | null
  /** Whether the disk is read-only. */
  isReadOnly?: boolean
}

const main = join(import.meta.dirname, '../../server/main.ts')
/** Directories of arriving and stored documents. */
const folders = ['staging', 'documents']

export async function startUploadsServer({
  databaseUrl,
  ownerUrl,
  directory,
  diskMegabytes,
  isReadOnly = false,
}: UploadsServerOptions): Promise<UploadsServer> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  for (const folder of folders) mkdirSync(join(directory, folder), { recursive: true })
  const env = {
    ...process.env,
    NODE_ENV: 'test',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    DATABASE_OWNER_URL: ownerUrl,
    KIST_DEMO: 'true',
    KIST_DATA_DIR: directory,
    KIST_LIMITS: 'relaxed',
    KIST_LOG_LEVEL: 'silent',
    KIST_DOCUMENTS_PER_LOAN: '10000',
    KIST_DOCUMENT_BYTES_PER_LOAN: '99999999999',
    // Longer than an upload takes on a busy machine; otherwise the sweep deletes its bytes before
    // its row exists.
    KIST_STORAGE_ORPHAN_SECONDS: '10',
    KIST_STORAGE_SWEEP_INTERVAL_MS: '500',
    RAZORPAY_BASE_URL: 'http://127.0.0.1:9',
  }
  const child =
    diskMegabytes === null
      ? spawn(process.execPath, [main], { env, stdio: 'ignore' })
      : spawn(
          'unshare',
          ['--user', '--map-root-user', '--mount', 'sh', '-c', mounting(directory, `size=${diskMegabytes}m${isReadOnly ? ',ro' : ''}`)],
          { env, stdio: 'ignore' },
        )
  const send = (path: string, token: string, init: RequestInit = {}) =>
    fetch(`${url}${apiPrefix}${path}`, { ...init, headers: { ...init.headers, ...(token && { authorization: `Bearer ${token}` }) } })
  const post = async (path: string, body: unknown) =>
    (await (
      await send(path, '', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    ).json()) as Record<string, unknown>
  await answering(url, child)
  return {
    process: child,
    path: (name) => (diskMegabytes === null ? join(directory, name) : join(`/proc/${child.pid}/root`, directory, name)),
    signIn: async (phone) => {
      const outbox = join(directory, 'outbox.ndjson')
      const before = linesOf(outbox).length
      const { session_token } = await post('/auth/login', { phone })
      const code = await codeFor(outbox, phone, before)
      return String((await post('/auth/verify', { session_token, otp: code }))['token'])
    },
    upload: async (token, { lan, leadId }, content) => {
      const form = new FormData()
      for (const [name, value] of Object.entries({ document_type: 'Others', lead_id: leadId, lan })) form.append(name, value)
      form.append('file', new Blob([new Uint8Array(content)], { type: 'application/pdf' }), 'a.pdf')
      const response = await send('/portal/upload-document', token, { method: 'POST', body: form })
      const body = (await response.json()) as Record<string, unknown>
      return { status: response.status, documentId: String(body['document_id'] ?? '') }
    },
    get: async (path, token) => {
      const response = await send(path, token)
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
    sha256Of: async (documentId, token) => {
      const response = await send(`/portal/documents/${documentId}`, token)
      return response.ok
        ? createHash('sha256')
            .update(Buffer.from(await response.arrayBuffer()))
            .digest('hex')
        : `status ${response.status}`
    },
    kill: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await gone
    },
  }
}

/** A namespace of mounts is this process's alone, needs no rights, and goes with it. */
const mounting = (directory: string, options: string): string =>
  `${folders.map((folder) => `mount -t tmpfs -o ${options} tmpfs '${join(directory, folder)}'`).join(' && ')} && exec '${process.execPath}' '${main}'`

async function answering(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (child.exitCode !== null) break
    if (
      await fetch(`${url}/config.json`)
        .then((response) => response.ok)
        .catch(() => false)
    )
      return
    await delay(100)
  }
  throw new Error('The portal did not start')
}

const linesOf = (outbox: string): string[] => (existsSync(outbox) ? readFileSync(outbox, 'utf8').split('\n').filter(Boolean) : [])

async function codeFor(outbox: string, phone: string, before: number): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    const messages = linesOf(outbox)
      .slice(before)
      .map((line) => JSON.parse(line) as { to?: string; code?: string })
    const code = messages.findLast((message) => message.to === phone && message.code)?.code
    if (code) return code
    await delay(50)
  }
  throw new Error('No code came')
}
