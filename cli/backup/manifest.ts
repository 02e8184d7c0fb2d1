import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { CommandError } from '#cli/command-error.ts'

const manifestSchema = z.object({
  /** Version of the manifest and of the backup's layout. */
  format: z.literal(1),
  made_at: z.string(),
  /** Directories (also empty ones) and files in the backup's directory, with `/`. */
  directories: z.array(z.string()),
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
})

/** The content of a backup. Written last: a directory without it is no backup. */
type Manifest = z.output<typeof manifestSchema>

const manifestFile = (directory: string) => join(directory, 'manifest.json')

export function writeManifest(directory: string, manifest: Manifest): void {
  writeFileSync(manifestFile(directory), JSON.stringify(manifest, null, 1), { mode: 0o600, flush: true })
}

/** @throws CommandError when the directory contains no finished backup. */
export function readManifest(directory: string): Manifest {
  const path = manifestFile(directory)
  if (!existsSync(path)) throw new CommandError(`${directory} contains no finished backup: it has no manifest.json.`)
  const parsed = manifestSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')))
  if (!parsed.success) throw new CommandError(`${path} is not a manifest of this version.`)
  const outside = parsed.data.files.find(({ path: name }) => name.startsWith('/') || name.split('/').includes('..'))
  if (outside) throw new CommandError(`${path} names ${outside.path}, which is outside of the backup.`)
  return parsed.data
}
