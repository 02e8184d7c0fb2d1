import type { DocumentContentType, FileRefusalReason } from '#domain/documents.ts'

/** At most so many pieces make a stored picture: one that needs more is refused as damaged. */
export const piecesMax = 1_000

/** A piece of the bytes to store: a range of the file, `to` exclusive, or new bytes in hexadecimal. */
export type Piece = { from: number; to: number } | { hex: string }

/** What the examination found. `pieces` null: the file is stored as it came. */
export type Examination = { kind: 'accepted'; pieces: Piece[] | null } | { kind: 'refused'; reason: FileRefusalReason }

/** A file to examine. The file is only read. */
export type ExaminationRequest = { path: string; contentType: DocumentContentType }

/** Looks into a file that is not trusted, outside the serving process. */
export type FileExaminer = {
  /**
   * @param owner whose file it is: one owner's files do not keep another owner's files waiting.
   * @throws ExaminerUnavailable when no examination could be made, which says nothing about the file.
   */
  examine(request: ExaminationRequest, owner: string): Promise<Examination>
  /** Ends all examinations. What still waits fails with ExaminerUnavailable. */
  close(): Promise<void>
}

/** The examination could not be made: its process did not start, could not be watched, or the server stops. */
export class ExaminerUnavailable extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'ExaminerUnavailable'
  }
}
