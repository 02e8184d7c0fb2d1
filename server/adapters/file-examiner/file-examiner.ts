import type { DocumentContentType, FileRefusalReason } from '#domain/documents.ts'

/**
 * The maximum number of pieces of a stored picture; a picture that needs more is refused as
 * damaged.
 */
export const piecesMax = 1_000

/**
 * A piece of the stored bytes: a range of the file, `to` exclusive, or new bytes in hexadecimal.
 */
export type Piece = { from: number; to: number } | { hex: string }

/** The result of an examination. `pieces` null: the file is stored unchanged. */
export type Examination = { kind: 'accepted'; pieces: Piece[] | null } | { kind: 'refused'; reason: FileRefusalReason }

/** A file to examine; it is not changed. */
export type ExaminationRequest = { path: string; contentType: DocumentContentType }

/** Examines an untrusted file outside the serving process. */
export type FileExaminer = {
  /**
   * @param owner the file's owner: one owner's files do not block another owner's files.
   * @throws ExaminerUnavailable if no examination was possible; this says nothing about the file.
   */
  examine(request: ExaminationRequest, owner: string): Promise<Examination>
  /** Ends all examinations; waiting ones fail with ExaminerUnavailable. */
  close(): Promise<void>
}

/**
 * No examination was possible: its process did not start, its memory could not be read, or the
 * server is stopping.
 */
export class ExaminerUnavailable extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'ExaminerUnavailable'
  }
}
