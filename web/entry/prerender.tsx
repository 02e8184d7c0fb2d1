import { I18nProvider } from '@lingui/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRouteWithContext, createRouter, RouterProvider } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { renderToString } from 'react-dom/server'
import { assumeRole } from '#contract/permissions.ts'
import type { PortalConfig } from '#contract/portal-config.ts'
import { queryClient } from '#web/api/query-client.ts'
import type { ShellContext } from '#web/app/layout-routes.tsx'
import { menu } from '#web/app/routes.tsx'
import { findDrawnPage, isStaffPage, type DrawnPage, getLoanTabPath, getOperationsLoanPath, paths, type LoanTab } from '#web/app/paths.ts'
import { AppShell } from '#web/app/shell/app-shell.tsx'
import { ApplicationPage } from '#web/features/application/application-page.tsx'
import { LoginPage } from '#web/features/auth/login-page.tsx'
import { PhoneStepAnswers } from '#web/features/auth/login-steps.tsx'
import { FaqsPage } from '#web/features/help/faqs-page.tsx'
import { SupportPage } from '#web/features/help/support-page.tsx'
import { LoanPage } from '#web/features/loans/loan-page.tsx'
import { BellPlace } from '#web/features/notices/feature.tsx'
import { ListPageSkeleton, RecordSkeleton } from '#web/features/operations/page-skeletons.tsx'
import { WaitingSkeleton } from '#web/features/payments/waiting/waiting-page.tsx'
import { ProfileSkeleton } from '#web/features/profile/profile-page.tsx'
import { UsersSkeleton } from '#web/features/staff/users-page.tsx'
import { VerifyPage } from '#web/features/verification/verify-page.tsx'
import { i18n, readAreas } from '#web/i18n/i18n.ts'
import { localeOf, type Language } from '#web/i18n/language.ts'
import { setPortalConfig } from '#web/portal-config.ts'
import { initSession } from '#web/session/session.ts'
import { storageKeys, writeStored } from '#web/storage.ts'

export { findDrawnPage }

type RenderedPage = { areas: readonly string[]; content: ReactElement; answers?: ReactElement }

/** The pages without a session that the server renders, for hydration. */
const publicPages: Readonly<Record<'login' | 'verify', RenderedPage>> = {
  // The login's first step; the page fills in its own address.
  login: { areas: ['ui', 'auth'], content: <LoginPage host="" onSuccess={() => {}} />, answers: <PhoneStepAnswers /> },
  verify: { areas: ['ui', 'verification'], content: <VerifyPage /> },
}

const Nothing = () => null
const loanPage = (tab: LoanTab): RenderedPage & { path: string } => ({
  areas: ['loans'],
  path: getLoanTabPath(tab),
  content: (
    <LoanPage
      tab={tab}
      RateResets={Nothing}
      RenewMandate={Nothing}
      NextPayment={Nothing}
      PendingNotice={Nothing}
      PaymentsTab={Nothing}
      AutopayCard={Nothing}
      TrancheCard={Nothing}
      DocumentsTab={Nothing}
    />
  ),
})

const operationsPage = (path: string, content: ReactElement) => ({ areas: ['operations'], path, content })

/** The pages for signed-in people, as they look before anything is loaded. They name nobody. */
const shellPages: Readonly<Record<Exclude<DrawnPage, 'waiting'>, RenderedPage & { path: string }>> = {
  'loan-details': loanPage('loan-details'),
  payments: loanPage('payments'),
  documents: loanPage('documents'),
  profile: { areas: ['profile'], path: paths.userProfile, content: <ProfileSkeleton /> },
  faqs: { areas: ['help'], path: paths.faqs, content: <FaqsPage /> },
  support: { areas: ['help'], path: paths.customerSupport, content: <SupportPage /> },
  application: { areas: ['application'], path: paths.ongoingApplication, content: <ApplicationPage /> },
  users: { areas: ['staff'], path: paths.users, content: <UsersSkeleton /> },
  operations: operationsPage(paths.operations, <ListPageSkeleton current="to_approve" />),
  'operations-loans': operationsPage(paths.operationsLoans, <ListPageSkeleton current="loans" />),
  'operations-reviews': operationsPage(paths.operationsReviews, <ListPageSkeleton current="reviews" />),
  'operations-record': operationsPage(getOperationsLoanPath('-'), <RecordSkeleton />),
}

/** Renders a page on the server: a public one for hydration, a drawn one for its first paint. */
export async function drawPage(name: keyof typeof publicPages | DrawnPage, language: Language, config: PortalConfig): Promise<string> {
  const { areas, render } = await preparePage(name)
  const messages = await readAreas(areas, language)
  // No waiting from here on: language, settings and session are those of the module.
  setPortalConfig(config)
  i18n.loadAndActivate({ locale: language, locales: localeOf[language], messages })
  return render()
}

async function preparePage(name: keyof typeof publicPages | DrawnPage): Promise<{ areas: readonly string[]; render: () => string }> {
  if (name === 'login' || name === 'verify') {
    const { areas, content, answers } = publicPages[name]
    const render = (element: ReactElement) => renderToString(<I18nProvider i18n={i18n}>{element}</I18nProvider>)
    return { areas, render: () => render(content) + (answers ? `<template>${render(answers)}</template>` : '') }
  }
  const page = name === 'waiting' ? { areas: ['payments'], path: paths.waitingForPayment, content: <WaitingSkeleton /> } : shellPages[name]
  const content = name === 'waiting' ? page.content : <AppShell Bell={BellPlace}>{page.content}</AppShell>
  const router = createPageRouter(page.path, content)
  await router.load()
  return {
    areas: ['ui', 'shell', ...page.areas],
    render: () => {
      setSession(isStaffPage(name))
      return renderToString(
        <I18nProvider i18n={i18n}>
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </I18nProvider>,
      )
    },
  }
}

/** A router with one page, for the links and the current entry of the menu. */
function createPageRouter(path: string, content: ReactElement) {
  const rootRoute = createRootRouteWithContext<ShellContext>()({ component: () => content, notFoundComponent: () => content })
  return createRouter({
    routeTree: rootRoute,
    history: createMemoryHistory({ initialEntries: [path] }),
    // Entries for some people are drawn for all; the page takes out what is not for its reader.
    context: { menu: menu.map(({ isFor: _isFor, ...entry }) => entry), Bell: BellPlace, WaitingCount: Nothing },
  })
}

/** The navigation depends on the session: staff have their own. The token names nobody. */
function setSession(isStaff: boolean): void {
  const claims = { sub: '', roles: assumeRole, exp: Number.MAX_SAFE_INTEGER }
  writeStored(storageKeys.token, isStaff ? `.${btoa(JSON.stringify(claims))}.` : null)
  initSession()
}
