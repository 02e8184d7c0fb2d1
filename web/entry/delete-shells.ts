import { shellCachePrefix } from '#web/storage.ts'

/** Deletes the caches of the portal's shell, by default those of all builds. */
export async function deleteShells(isOver: (name: string) => boolean = () => true): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.filter((name) => name.startsWith(shellCachePrefix) && isOver(name)).map((name) => caches.delete(name)))
}
