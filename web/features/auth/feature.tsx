import { createRoute, lazyRouteComponent, redirect, useRouter } from '@tanstack/react-router'
import { loadScreen } from '#web/app/feature.tsx'
import { rootRoute } from '#web/app/layout-routes.tsx'
import { paths } from '#web/app/paths.ts'
import { takeHrefAfterLogin } from '#web/app/return-to.ts'
import { isStaff } from '#web/session/claims.ts'
import { getSession, isSignedIn } from '#web/session/session.ts'

const LoginPage = lazyRouteComponent(() => import('./login-page.tsx'), 'LoginPage')
const AdminLoginPage = lazyRouteComponent(() => import('./admin-login-page.tsx'), 'AdminLoginPage')

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: paths.login,
  beforeLoad: () => {
    if (isSignedIn()) throw redirect({ href: takeHrefAfterLogin(), replace: true })
  },
  loader: loadScreen(LoginPage, 'auth'),
  component: function Login() {
    const { history } = useRouter()
    return <LoginPage host={window.location.host} onSuccess={() => history.replace(takeHrefAfterLogin())} />
  },
})

const adminLoginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: paths.adminLogin,
  beforeLoad: () => {
    if (isSignedIn() && isStaff(getSession().claims)) throw redirect({ href: takeHrefAfterLogin(paths.users), replace: true })
  },
  loader: loadScreen(AdminLoginPage, 'auth'),
  component: AdminLoginPage,
})

export const authRoutes = [loginRoute, adminLoginRoute] as const
