import { useSearch } from '@tanstack/react-router'

/** A text parameter of the address, on whichever page; null without it. */
export const useTextParameter = (name: string): string | null =>
  useSearch({
    strict: false,
    select: (search: Readonly<Record<string, unknown>>) => (typeof search[name] === 'string' ? search[name] : null),
  })
