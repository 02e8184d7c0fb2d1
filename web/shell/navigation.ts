import { paths } from '#web/paths.ts'

/** What the navigation can lead to. A borrower's sidebar has the first two (spec §2, decision 44). */
export type Section = 'active-loans' | 'user-profile' | 'ongoing-application' | 'faqs' | 'customer-support' | 'users'

const byPrefix: readonly [string, Section][] = [
  [paths.activeLoans, 'active-loans'],
  [paths.userProfile, 'user-profile'],
  [paths.ongoingApplication, 'ongoing-application'],
  [paths.faqs, 'faqs'],
  [paths.customerSupport, 'customer-support'],
  [paths.users, 'users'],
]

/** Which section a path belongs to, by its prefix; an unknown path counts as active-loans. */
export function sectionOf(path: string): Section {
  return byPrefix.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1] ?? 'active-loans'
}
