import { useLingui } from '@lingui/react/macro'
import { paths } from '#web/paths.ts'
import type { IconName } from '#web/ui/icon.tsx'
import type { Section } from './navigation.ts'

export type MenuEntry = { section: Section; to: string; label: string; icon: IconName }

/** The sidebar's two entries, and those of the account menu. */
export function useMenuEntries(): { sidebar: readonly MenuEntry[]; account: readonly MenuEntry[] } {
  const { t } = useLingui()
  return {
    sidebar: [
      { section: 'active-loans', to: paths.activeLoans, label: t`Active loans`, icon: 'loans' },
      { section: 'user-profile', to: paths.userProfile, label: t`Your profile`, icon: 'user' },
    ],
    account: [
      { section: 'ongoing-application', to: paths.ongoingApplication, label: t`Ongoing application`, icon: 'document' },
      { section: 'faqs', to: paths.faqs, label: t`FAQs`, icon: 'help' },
      { section: 'customer-support', to: paths.customerSupport, label: t`Customer support`, icon: 'phone' },
    ],
  }
}
