import { PathLink } from './links.tsx'

export type LinkTab = { to: string; label: string; current: boolean }

/** Sections of a screen, each a route of its own: links in a named navigation, not ARIA tabs. */
export function LinkTabs({ label, tabs }: { label: string; tabs: readonly LinkTab[] }) {
  return (
    <nav
      aria-label={label}
      className="-mx-4 mb-4 flex overflow-x-auto overflow-y-hidden border-b border-line px-4 [scrollbar-width:none] md:mx-0 md:mb-5 md:gap-6 md:px-0 print:hidden"
    >
      {tabs.map((tab) => (
        <PathLink
          key={tab.to}
          to={tab.to}
          aria-current={tab.current ? 'page' : undefined}
          className="inline-flex min-h-12 flex-1 items-center justify-center border-b-3 border-transparent px-1 forced-colors:border-[Canvas] forced-colors:aria-[current]:border-[Highlight] py-1 text-sm font-medium whitespace-nowrap text-muted hover:border-line-strong hover:text-ink focus-visible:outline-offset-[-3px] aria-[current]:border-brand aria-[current]:font-semibold aria-[current]:text-brand md:flex-none md:px-0 md:text-base"
        >
          {tab.label}
        </PathLink>
      ))}
    </nav>
  )
}
