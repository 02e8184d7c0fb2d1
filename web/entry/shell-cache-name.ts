/** Begins the name of every cache of the shell; the build's own name follows. */
export const shellCachePrefix = 'kist-shell-'
