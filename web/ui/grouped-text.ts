/**
 * How a value is shown and read: '9876543210' as '98765 43210'. `show` adds separators, `read`
 * removes them.
 */
export type Grouping = { read: (text: string) => string; show: (value: string) => string }

/** The text before and after the browser's edit, and the caret after it. */
type Edit = { before: string; text: string; caret: number; deletes: 'backward' | 'forward' | null }

/** The value after an edit, and the caret's position in the text shown for it. */
export function applyEdit({ before, text, caret, deletes }: Edit, { read, show }: Grouping): { value: string; caret: number } {
  // Only a separator was deleted: deletes the digit beside it.
  if (deletes !== null && text.length === before.length - 1 && read(text) === read(before)) {
    const [left, right] = [text.slice(0, caret), text.slice(caret)]
    const kept = deletes === 'backward' ? left.replace(/.$/u, '') : left
    const shortened = deletes === 'backward' ? kept + right : kept + right.replace(/^./u, '')
    return placed(read(shortened), read(kept).length, show)
  }
  const value = read(text)
  return placed(value, Math.min(read(text.slice(0, caret)).length, value.length), show)
}

/** The caret after the first `count` characters of the value, counting separators. */
function placed(value: string, count: number, show: Grouping['show']): { value: string; caret: number } {
  const shown = show(value)
  let [caret, passed] = [0, 0]
  while (passed < count && caret < shown.length) {
    if (shown[caret] === value[passed]) passed += 1
    caret += 1
  }
  return { value, caret }
}
