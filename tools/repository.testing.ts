import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')

/** The files of the repository, committed or not yet. */
export const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))

export const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Whether only tests use a file. */
export const isTest = (file: string): boolean => /\.(test|testing|testkit)\.tsx?$/.test(file) || file.startsWith('e2e/')
