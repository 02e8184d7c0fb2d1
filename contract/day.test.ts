import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { day } from './day.ts'

it('is a date that the engine and PostgreSQL can use', () => {
  for (const text of ['1900-01-01', '2028-02-29', '2199-12-31'])
    expect(z.safeDecode(day, text)).toMatchObject({ success: true, data: text })
  for (const text of ['0000-01-01', '0001-01-01', '1899-12-31', '2200-01-01', '9999-12-31', '2026-02-30', ''])
    expect(z.safeDecode(day, text).success).toBe(false)
})
