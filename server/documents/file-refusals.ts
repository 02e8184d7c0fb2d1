import type { FileRefusalReason } from '#domain/documents.ts'
import { Failure } from '../http/failure.ts'

const printToNewPdf = 'Please print it to a new PDF and upload that.'

const messages: Readonly<Record<FileRefusalReason, string>> = {
  malware: 'The file contains malware and was not stored.',
  pdf_damaged: 'The PDF is damaged.',
  pdf_trailing_bytes: `The PDF has other data after its end. ${printToNewPdf}`,
  pdf_encrypted: 'The PDF is encrypted or protected by a password. Please upload it without protection.',
  pdf_javascript: `The PDF contains JavaScript. ${printToNewPdf}`,
  pdf_launch: `The PDF can start a program. ${printToNewPdf}`,
  pdf_remote_file: `The PDF opens another file (GoToR). ${printToNewPdf}`,
  pdf_goto_embedded: `The PDF opens a file that is embedded in another (GoToE). ${printToNewPdf}`,
  pdf_submit_form: `The PDF has a form that sends data. ${printToNewPdf}`,
  pdf_import_data: `The PDF imports data from a file. ${printToNewPdf}`,
  pdf_rich_media: `The PDF contains sound, video or 3D content. ${printToNewPdf}`,
  pdf_embedded_files: `The PDF has other files embedded in it. Please upload each file by itself.`,
  pdf_xfa_form: `The PDF has an XFA form, which can contain scripts. ${printToNewPdf}`,
  pdf_unpacks_too_large: 'The PDF unpacks to far more than its size.',
  pdf_unreadable_part: `A part of the PDF cannot be read. ${printToNewPdf}`,
  picture_damaged: 'The picture is damaged.',
  picture_animated: 'The picture is animated. Please upload a still picture.',
  picture_too_many_pixels: 'The picture has more than 50 million pixels. Please make it smaller.',
  examination_timeout: 'The file takes too long to check. Please make it smaller or simpler, or try again later.',
  examination_memory: 'The file needs too much memory to check. Please make it smaller or simpler.',
  examination_failed: 'The file could not be checked and was not stored.',
}

/** The refusal of a file with the message of its reason. */
export const fileRefused = (reason: FileRefusalReason): Failure => new Failure('FileRefused', messages[reason], { field: 'file', reason })
