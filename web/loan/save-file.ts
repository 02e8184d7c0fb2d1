/** Hands bytes to the browser's downloads under a name. */
export function saveFile(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // The download has its own hold on the bytes once it has begun; a phone takes a moment to.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
