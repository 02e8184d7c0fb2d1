/** The words of a code that has no text of its own: 'LEGAL_NOTICE_FEE' is 'legal notice fee'. */
export const readableCode = (code: string): string =>
  code
    .split(/[^\p{Letter}\p{Number}]+/u)
    .filter((word) => word !== '')
    .join(' ')
    .toLowerCase()
