import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { StorageConfig } from '../../config/config.ts'
import { checkKey, convertErrors, StorageError, type ObjectStorage, type StoredObject } from './object-storage.ts'

/** Three attempts fit in the time after which the connection of a request is cut. */
const defaultTimeoutMs = 15_000

/**
 * Stores objects in an S3 bucket with the official client. Checksums are sent only if the service
 * requires them, because not every S3-compatible service knows the newer ones. A custom endpoint is
 * addressed by path.
 */
export function s3Storage(
  { bucket, region, endpoint, credentials }: Extract<StorageConfig, { kind: 's3' }>,
  timeoutMs = defaultTimeoutMs,
): ObjectStorage {
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    // Without `throwOnRequestTimeout` the client logs the time limit and goes on waiting.
    requestHandler: { connectionTimeout: 5_000, requestTimeout: timeoutMs, throwOnRequestTimeout: true, socketTimeout: timeoutMs },
  })
  const at = (key: string) => {
    checkKey(key)
    return { Bucket: bucket, Key: key }
  }
  return {
    put: (key, path) => {
      const target = at(key)
      return withStorageErrors(async () => {
        const { size } = await stat(path)
        await client.send(new PutObjectCommand({ ...target, Body: createReadStream(path), ContentLength: size }))
      })
    },
    read: (key, { first, last }) => {
      const target = at(key)
      return withStorageErrors(
        async () => (await client.send(new GetObjectCommand({ ...target, Range: `bytes=${first}-${last}` }))).Body as Readable,
      )
    },
    find: (key) => findObject(client, at(key)),
    move: (from, to) => {
      const [source, target] = [at(from), at(to)]
      return withStorageErrors(async () => {
        // After a crash between the two calls the object has both keys; it is moved again, or
        // deleted with the quarantine.
        await client.send(new CopyObjectCommand({ ...target, CopySource: `${bucket}/${source.Key}` }))
        await client.send(new DeleteObjectCommand(source))
      })
    },
    remove: (key) => {
      const target = at(key)
      return withStorageErrors(async () => {
        await client.send(new DeleteObjectCommand(target))
      })
    },
    list: (prefix) => listAll(client, bucket, prefix),
  }
}

async function findObject(client: S3Client, target: { Bucket: string; Key: string }): Promise<StoredObject | null> {
  try {
    const { ContentLength = 0, LastModified = new Date(0) } = await withStorageErrors(() => client.send(new HeadObjectCommand(target)))
    return { key: target.Key, sizeBytes: ContentLength, ageMs: Date.now() - LastModified.getTime() }
  } catch (error) {
    if (error instanceof StorageError && error.reason === 'absent') return null
    throw error
  }
}

async function* listAll(client: S3Client, bucket: string, prefix: string): AsyncGenerator<StoredObject> {
  let token: string | undefined
  do {
    const continuationToken = token
    const page = await withStorageErrors(() =>
      client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...(continuationToken && { ContinuationToken: continuationToken }) }),
      ),
    )
    for (const { Key, Size = 0, LastModified = new Date(0) } of page.Contents ?? [])
      if (Key) yield { key: Key, sizeBytes: Size, ageMs: Date.now() - LastModified.getTime() }
    token = page.NextContinuationToken
  } while (token)
}

const withStorageErrors = convertErrors(storageError)

function storageError(error: unknown): unknown {
  if (error instanceof StorageError) return error
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
  const name = (error as Error).name
  if (status === 404 || name === 'NoSuchKey' || name === 'NotFound') return new StorageError('absent', 'there is no such object', error)
  if (status === 507 || name === 'QuotaExceeded') return new StorageError('full', 'the bucket is full', error)
  return new StorageError('unavailable', `the object store cannot be used (${name})`, error)
}
