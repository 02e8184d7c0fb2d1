declare module '*.po' {
  import type { Messages } from '@lingui/core'
  export const messages: Messages
}

interface ImportMeta {
  /** Set by the build: 'production', or 'development' by `npm run dev`. */
  readonly env: { readonly MODE: string }
}
