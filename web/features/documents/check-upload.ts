import { declaredContentType, nameFits } from '#domain/documents.ts'

/** What is wrong with a file before it is sent (spec §5 'Upload'). The server looks at the bytes themselves. */
export type FileProblem = 'empty' | 'unsupported' | 'too_large'

/** The endings the file picker offers; two of them are refused with a sentence, as spec §5 has it. */
export const pickerAccept = '.pdf,.bmp,.gif,.jpeg,.jpg,.png,.tiff,.webp'

export function checkUpload(file: Pick<File, 'name' | 'type' | 'size'>, bytesMax: number): FileProblem | null {
  if (file.size === 0) return 'empty'
  const type = declaredContentType(file.type)
  if (type === null || !nameFits(file.name, type)) return 'unsupported'
  return file.size > bytesMax ? 'too_large' : null
}
