import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A lender's folder with this brand.json, until the process ends. For `KIST_BRAND_DIR`. */
export function makeBrandFolder(brand: object): string {
  const directory = mkdtempSync(join(tmpdir(), 'kist-brand-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  writeFileSync(join(directory, 'brand.json'), JSON.stringify(brand))
  return directory
}
