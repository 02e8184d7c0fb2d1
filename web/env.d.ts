declare module '*.po' {
  import type { Messages } from '@lingui/core'
  export const messages: Messages
}

interface ImportMeta {
  /** Put in by the build: 'production', or 'development' from `npm run dev`. */
  readonly env: { readonly MODE: string }
}
