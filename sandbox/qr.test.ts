import { describe, expect, it } from 'vitest'
import { qrCode } from './qr.ts'

describe('the QR code', () => {
  it('of HELLO is the one that scanners read', () => {
    const rows = qrCode('HELLO')?.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''))
    expect(rows).toEqual([
      '#######..###..#######',
      '#.....#.#.##..#.....#',
      '#.###.#...#...#.###.#',
      '#.###.#...##..#.###.#',
      '#.###.#.#.#.#.#.###.#',
      '#.....#..##.#.#.....#',
      '#######.#.#.#.#######',
      '.........#.##........',
      '#.#.#.#..#.#....#..#.',
      '#.#.#....##...#....#.',
      '.....##..##.#...#####',
      '#.#.##.#.##...#....#.',
      '.##..###.##.#.#.#.#..',
      '........#.##.#.#..##.',
      '#######....#.###..###',
      '#.....#...####.##....',
      '#.###.#.#.##.###..###',
      '#.###.#..#....##..##.',
      '#.###.#.#.#.#...#.#.#',
      '#.....#..##...#.#..#.',
      '#######.#.#.#.##..###',
    ])
  })

  it.each([
    [14, 21],
    [15, 25],
    [106, 41],
  ])('of %i bytes has %i rows', (bytes, size) => {
    expect(qrCode('x'.repeat(bytes))).toHaveLength(size)
  })

  it('does not exist for what is too long', () => {
    expect(qrCode('x'.repeat(107))).toBeNull()
  })
})
