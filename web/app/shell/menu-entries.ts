import { useLingui } from '@lingui/react/macro'
import { isStaffAlone } from '#web/session/auth-state.ts'
import { useSession } from '#web/session/session.ts'
import { paths } from '#web/app/paths.ts'
import type { IconName } from '#web/ui/icon.tsx'
import type { Section } from './navigation.ts'

export type MenuEntry = { section: Section; to: string; label: string; icon: IconName }

/** The sidebar's two entries, for everybody (spec §2, decision 44), and those of the account menu. Staff who act for nobody find the list of borrowers there. */
export function useMenuEntries(): { sidebar: readonly MenuEntry[]; account: readonly MenuEntry[] } {
  const { t } = useLingui()
  const { claims } = useSession()
  const profile: MenuEntry = { section: 'user-profile', to: paths.userProfile, label: t`Your profile`, icon: 'user' }
  const help: MenuEntry[] = [
    { section: 'faqs', to: paths.faqs, label: t`FAQs`, icon: 'help' },
    { section: 'customer-support', to: paths.customerSupport, label: t`Customer support`, icon: 'phone' },
  ]
  const own: MenuEntry = isStaffAlone(claims)
    ? { section: 'users', to: paths.users, label: t`Borrowers`, icon: 'search' }
    : { section: 'ongoing-application', to: paths.ongoingApplication, label: t`Ongoing application`, icon: 'document' }
  return {
    sidebar: [{ section: 'active-loans', to: paths.activeLoans, label: t`Active loans`, icon: 'loans' }, profile],
    account: [own, ...help],
  }
}
