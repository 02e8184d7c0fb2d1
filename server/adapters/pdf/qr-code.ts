import { encode } from 'uqr'

/** Light modules around a QR code, as ISO/IEC 18004 asks for. */
const quietZone = 4

/** A QR code as SVG, one unit per module, black on white. */
export function drawQrCode(text: string): string {
  const { data, size } = encode(text, { ecc: 'M', border: quietZone })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<rect width="${size}" height="${size}" fill="#fff"/><path d="${squares.join('')}" fill="#000"/></svg>`
  )
}
