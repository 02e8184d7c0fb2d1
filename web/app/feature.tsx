import type { MessageDescriptor } from '@lingui/core'
import type { ComponentType } from 'react'
import type { User } from '#contract/auth.ts'
import { loadAreas } from '#web/i18n/i18n.ts'
import type { IconName } from '#web/ui/icon.tsx'
import { createLazyPart } from '#web/ui/lazy-part.tsx'

export type MenuEntry = {
  to: string
  label: MessageDescriptor
  icon: IconName
  /**
   * The sidebar has two entries for everyone (spec §2, decision 44); the account menu has the
   * others.
   */
  place: 'sidebar' | 'account'
  /**
   * 'staff' is staff without an assumed borrower, 'borrower' everyone else. Without it, the entry
   * is for both.
   */
  audience?: 'staff' | 'borrower'
  /** Whether the entry is for this person; for everybody if left out. */
  isFor?: (person: User['metadata']) => boolean
}

type Preloadable = { preload?: () => Promise<unknown> | undefined }

/**
 * A route's loader: waits for the screen's chunk and its texts together, so that no screen appears
 * in parts.
 */
export const loadScreen =
  (screen: Preloadable, ...areas: string[]) =>
  async (): Promise<void> => {
    await Promise.all([screen.preload?.(), loadAreas(...areas)])
  }

/** A part of a page in its own chunk, with the texts of its feature. */
export const createFeaturePart = <Props extends object>(area: string, load: () => Promise<ComponentType<Props>>) =>
  createLazyPart(async () => (await Promise.all([load(), loadAreas(area)]))[0])
