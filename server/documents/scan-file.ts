import type { Context } from '../context.ts'
import { Failure } from '../http/failure.ts'
import { fileRefused } from './file-refusals.ts'

/**
 * Scans the original bytes of a file, before metadata is removed.
 *
 * @throws Failure FileRefused or ScannerUnavailable.
 */
export async function scanFile({ scanner, log }: Pick<Context, 'scanner' | 'log'>, path: string): Promise<void> {
  const outcome = await scanner.scan(path)
  if (outcome.kind === 'infected') {
    log.warn({ found: outcome.name }, 'refused a file with malware')
    throw fileRefused('malware')
  }
  if (outcome.kind === 'unknown') {
    log.error({ reason: outcome.reason }, 'virus scanner unavailable')
    throw new Failure('ScannerUnavailable', 'Files cannot be checked for malware at the moment. Please try again later.')
  }
}
