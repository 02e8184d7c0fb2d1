import type { Context } from '../context.ts'
import type { FileAnswer } from '../http/file-answer.ts'
import { callStorage } from './storage-failure.ts'

type StoredFile = { filename: string; content_type: string; size_bytes: string | number | bigint; sha256: Buffer; storage_key: string }

/** A stored file as an answer: its bytes are read when they are sent. */
export const storedFile = ({ storage, log }: Pick<Context, 'storage' | 'log'>, file: StoredFile): FileAnswer => ({
  filename: file.filename,
  contentType: file.content_type,
  sizeBytes: Number(file.size_bytes),
  sha256: file.sha256,
  open: (range) => callStorage(log, () => storage.read(file.storage_key, range)),
})

/** Removes bytes that no row names. If this fails, the sweep removes them. */
export const removeUnnamedBytes = ({ storage, log }: Pick<Context, 'storage' | 'log'>, key: string): Promise<void> =>
  storage
    .remove(key)
    .catch((error: unknown) => log.warn({ err: error }, 'could not remove an object without a row; the storage sweep will remove it'))
