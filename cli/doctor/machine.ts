import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStorage } from '#server/adapters/object-storage/create-storage.ts'
import { putBytes } from '#server/adapters/object-storage/put-bytes.ts'
import { clamdScanner } from '#server/adapters/virus-scan/clamd.ts'
import { parseKeys } from '#server/auth/token.ts'
import type { Config } from '#server/config/config.ts'
import { listUnregisteredMessages } from '#server/config/sms-templates.ts'
import type { Finding } from './finding.ts'

const megabyte = 1024 * 1024
const freeBytes = { warning: 2_048 * megabyte, wrong: 256 * megabyte }

export async function keyFindings({ signIn, razorpay, production }: Config): Promise<Finding[]> {
  const ids = signIn.tokenKeys.map((pem) => parseKeys(pem).keyId)
  const keyKind = razorpay.keyId.startsWith('rzp_live_') ? 'live' : 'test'
  return [
    new Set(ids).size < ids.length
      ? {
          state: 'wrong',
          about: 'keys',
          message: 'KIST_TOKEN_KEY_PEM_PREVIOUS is the same key as KIST_TOKEN_KEY_PEM: sessions of the previous key are refused',
        }
      : { state: 'ok', about: 'keys', message: `sessions are signed by ${ids[0]}${ids[1] ? `, ${ids[1]} is still accepted` : ''}` },
    new Set(razorpay.webhookSecrets).size < razorpay.webhookSecrets.length
      ? { state: 'warning', about: 'keys', message: 'RAZORPAY_WEBHOOK_SECRET_PREVIOUS is the current secret: remove it' }
      : {
          state: 'ok',
          about: 'keys',
          message: `the provider's keys are ${keyKind} keys, ${razorpay.webhookSecrets.length} webhook secret(s) accepted`,
        },
    ...(production && razorpay.webhookSecrets.length > 1
      ? [
          {
            state: 'warning' as const,
            about: 'keys',
            message: 'the previous webhook secret is still accepted: remove it a day after the change',
          },
        ]
      : []),
  ]
}

/** Messages without a DLT template, which the carrier would drop. */
export async function smsFindings({ sms, smsTemplates }: Config): Promise<Finding[]> {
  if (sms === null) return [{ state: 'ok', about: 'text messages', message: 'go to the outbox, which needs no templates' }]
  const missing = listUnregisteredMessages(smsTemplates)
  return missing.length === 0
    ? [{ state: 'ok', about: 'text messages', message: 'a DLT template is registered for each in both languages' }]
    : [
        {
          state: 'warning',
          about: 'text messages',
          message: `not sent, because KIST_SMS_TEMPLATES has no DLT template for them: ${missing.join(', ')}`,
        },
      ]
}

export async function diskFindings({ dataDirectory, documents }: Config): Promise<Finding[]> {
  mkdirSync(documents.stagingDirectory, { recursive: true })
  // Only a written file proves that the directory is writable.
  const probe = mkdtempSync(join(documents.stagingDirectory, 'doctor-'))
  writeFileSync(join(probe, 'probe'), 'x')
  rmSync(probe, { recursive: true })
  const { bavail, blocks, bsize, ffree, files } = statfsSync(dataDirectory)
  const free = bavail * bsize
  const state = free < freeBytes.wrong ? 'wrong' : free < freeBytes.warning ? 'warning' : 'ok'
  const message = `${Math.round(free / megabyte).toLocaleString('en-IN')} MB free of ${Math.round((blocks * bsize) / megabyte).toLocaleString('en-IN')} in KIST_DATA_DIR`
  return [
    { state, about: 'disk', message: state === 'ok' ? message : `${message}: free some space` },
    ...(files > 0 && ffree / files < 0.02
      ? [{ state: 'wrong' as const, about: 'disk', message: 'fewer than 2 % of the inodes are free: remove files' }]
      : []),
  ]
}

export async function storageFindings({ documents }: Config): Promise<Finding[]> {
  const { storage } = documents
  const store = await createStorage(storage)
  const key = `doctor/probe-${Date.now()}`
  await putBytes(store, key, 'doctor')
  const found = await store.find(key)
  await store.remove(key)
  if (found?.sizeBytes !== 6) throw new Error('a stored object was not found again')
  return [
    {
      state: 'ok',
      about: 'documents',
      message: storage.kind === 'disk' ? 'stored in the data directory' : `stored in the bucket ${storage.bucket}`,
    },
  ]
}

export async function scannerFindings({ documents, production }: Config): Promise<Finding[]> {
  if (documents.clamd === null)
    return [
      {
        state: production ? 'warning' : 'ok',
        about: 'virus scanner',
        message: `${production ? 'KIST_CLAMD is none' : 'KIST_CLAMD is not set'}: only the EICAR test file is recognized`,
      },
    ]
  const directory = mkdtempSync(join(tmpdir(), 'kist-doctor-'))
  const path = join(directory, 'probe')
  writeFileSync(path, 'doctor')
  const outcome = await clamdScanner(documents.clamd).scan(path)
  rmSync(directory, { recursive: true })
  return outcome.kind === 'clean'
    ? [{ state: 'ok', about: 'virus scanner', message: `answers at ${documents.clamd}` }]
    : [
        {
          state: 'wrong',
          about: 'virus scanner',
          message: `${documents.clamd}: ${outcome.kind === 'unknown' ? outcome.reason : 'finds malware in a harmless file'}`,
        },
      ]
}
