import { paths } from '#web/app/paths.ts'

/** What the navigation can lead to. The sidebar has the first two (spec §2, decision 44); the list of users is no section of its own there. */
export type Section = 'active-loans' | 'user-profile' | 'ongoing-application' | 'faqs' | 'customer-support' | 'users'

const byPrefix: readonly [string, Section][] = [
  [paths.activeLoans, 'active-loans'],
  [paths.userProfile, 'user-profile'],
  [paths.ongoingApplication, 'ongoing-application'],
  [paths.faqs, 'faqs'],
  [paths.customerSupport, 'customer-support'],
]

/** Which section a path belongs to, by its prefix; an unknown path counts as active-loans. */
export function sectionOf(path: string): Section {
  return byPrefix.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1] ?? 'active-loans'
}
