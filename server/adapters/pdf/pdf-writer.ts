/** A line that names something and says it: `Interest rate` and `11.25 %`. */
export type Fact = { label: string; value: string }

export type Column = {
  title: string
  align: 'start' | 'end'
  /** As wide as its longest cell, or with a share of what is left. */
  width: 'own' | 'rest'
}

export type PaperPart =
  | { kind: 'heading'; text: string }
  | { kind: 'text'; text: string }
  /** What nobody may overlook. */
  | { kind: 'notice'; text: string }
  | { kind: 'facts'; facts: readonly Fact[] }
  | { kind: 'table'; columns: readonly Column[]; rows: readonly (readonly string[])[]; totals: readonly string[] | null }

/** What a document says, in the order in which it says it; how it looks is the writer's. Every text is ready to be read. */
export type Paper = {
  language: 'en' | 'hi'
  orientation: 'portrait' | 'landscape'
  title: string
  sender: { name: string; lines: readonly string[] }
  /** About whom and what, at the head of the document. */
  facts: readonly Fact[]
  parts: readonly PaperPart[]
  /** The code by which the document can be checked, and how. */
  seal: { label: string; code: string; hint: string }
  /** At the foot of each page; `{page}` and `{pages}` stand for the numbers. */
  foot: string
}

/** Writes documents as tagged PDF. The same paper gives the same bytes. */
export type PdfWriter = {
  /** @throws Error when it cannot be written, a defect of ours. */
  write(paper: Paper): Promise<Buffer>
  close(): Promise<void>
}
