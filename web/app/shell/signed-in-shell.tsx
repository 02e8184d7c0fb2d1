import type { ReactNode } from 'react'
import { AppShell } from './app-shell.tsx'
import { SignedIn } from './signed-in.tsx'

/** The shell around a page that is not one of the routes behind the login. */
export function SignedInShell({ children }: { children: ReactNode }) {
  return (
    <SignedIn>
      <AppShell>{children}</AppShell>
    </SignedIn>
  )
}
