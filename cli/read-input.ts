import { readFileSync } from 'node:fs'
import { CommandError } from './command-error.ts'

/**
 * The text of a file, or of standard input for `-`, without a byte order mark.
 *
 * @throws CommandError when it cannot be read.
 */
export function readInput(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`)
  }
}
