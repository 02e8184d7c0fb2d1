/** A labelled value: `Interest rate` and `11.25%`. */
export type Fact = { label: string; value: string }

export type Column = {
  title: string
  align: 'start' | 'end'
  /** `own`: as wide as the longest cell. `rest`: shares the remaining width. */
  width: 'own' | 'rest'
}

export type DocumentPart =
  | { kind: 'heading'; text: string }
  | { kind: 'text'; text: string }
  /** Highlighted text. */
  | { kind: 'notice'; text: string }
  | { kind: 'facts'; facts: readonly Fact[] }
  | { kind: 'table'; columns: readonly Column[]; rows: readonly (readonly string[])[]; totals: readonly string[] | null }

/**
 * The content of a document in reading order; the writer decides the layout. Every text is final.
 */
export type DocumentContent = {
  language: 'en' | 'hi'
  orientation: 'portrait' | 'landscape'
  title: string
  sender: { name: string; lines: readonly string[] }
  /** Shown at the top of the document. */
  facts: readonly Fact[]
  parts: readonly DocumentPart[]
  /** The code that verifies the document, how to use it, and its address, drawn as a QR code. */
  verification: { label: string; code: string; hint: string; address: string; qrLabel: string }
  /** The footer of each page; `{page}` and `{pages}` are replaced by the numbers. */
  foot: string
}

/** Writes documents as tagged PDF. The same content gives the same bytes. */
export type PdfWriter = {
  /** @throws Error if the document cannot be written, which is a defect. */
  write(content: DocumentContent): Promise<Buffer>
  close(): Promise<void>
}
