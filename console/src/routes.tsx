/** The pages of the console as data: path, page, and who sees it. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  Outlet,
  useLocation,
  useNavigate,
} from '@tanstack/react-router'
import { type FunctionComponent, useEffect, useState } from 'react'
import { clearCalls } from './api/call-log.ts'
import { Button } from './kit/Button.tsx'
import { CardPage } from './kit/CardPage.tsx'
import { Empty, Skeleton } from './kit/Note.tsx'
import SignIn from './pages/sign-in/SignIn.tsx'
import { useSession } from './session/use-session.ts'
import { t } from './i18n/shared.ts'

type Load = () => Promise<{ default: FunctionComponent }>

interface PageRoute {
  path: string
  load: Load
}

/** For everybody, besides the sign-in, which is part of what is loaded first. */
const publicPages: readonly PageRoute[] = [
  { path: '/forgot', load: () => import('./pages/joining/RequestPasswordReset.tsx') },
  { path: '/reset', load: () => import('./pages/joining/Reset.tsx') },
  { path: '/sign-up', load: () => import('./pages/joining/SignUp.tsx') },
  { path: '/verify', load: () => import('./pages/joining/Verify.tsx') },
  { path: '/email', load: () => import('./pages/joining/ConfirmEmail.tsx') },
  { path: '/setup', load: () => import('./pages/joining/SetUp.tsx') },
  { path: '/invitations', load: () => import('./pages/joining/Invitation.tsx') },
  { path: '/sign-in/sso/$provider', load: () => import('./pages/joining/SsoReturn.tsx') },
  { path: '/account-deleted', load: () => import('./pages/account/Deleted.tsx') },
  { path: '/new-password', load: () => import('./pages/account/NewPassword.tsx') },
]

/** For people who are signed in. */
const ownPages: readonly PageRoute[] = [
  { path: '/', load: () => import('./pages/workspaces/Start.tsx') },
  { path: '/account', load: () => import('./pages/account/Account.tsx') },
  { path: '/account/security', load: () => import('./pages/account/Security.tsx') },
  { path: '/account/sessions', load: () => import('./pages/account/Sessions.tsx') },
  { path: '/cli', load: () => import('./pages/account/CliSignIn.tsx') },
  { path: '/workspaces', load: () => import('./pages/workspaces/Workspaces.tsx') },
]

/** Samples of the components: of `npm run dev`, and of the build that browser tests look at. */
const samplePages: readonly PageRoute[] =
  import.meta.env.MODE === 'production'
    ? []
    : [{ path: '/kit', load: () => import('./pages/kit/Kit.tsx') }]

/** For operators: below `/installation`. */
const installationPages: readonly PageRoute[] = [
  { path: '/installation', load: () => import('./pages/installation/HealthPage.tsx') },
  { path: '/installation/accounts', load: () => import('./pages/installation/AccountList.tsx') },
  {
    path: '/installation/accounts/$accountId',
    load: () => import('./pages/installation/AccountPage.tsx'),
  },
  { path: '/installation/audit', load: () => import('./pages/installation/InstallationAudit.tsx') },
  { path: '/installation/brokers', load: () => import('./pages/installation/BrokersPage.tsx') },
  {
    path: '/installation/doctor-runs/$runId',
    load: () => import('./pages/installation/DoctorRunPage.tsx'),
  },
  {
    path: '/installation/invitations',
    load: () => import('./pages/installation/InvitationList.tsx'),
  },
  { path: '/installation/invoices', load: () => import('./pages/installation/InvoiceList.tsx') },
  { path: '/installation/mails', load: () => import('./pages/installation/MailList.tsx') },
  { path: '/installation/settings', load: () => import('./pages/installation/SettingsPage.tsx') },
  { path: '/installation/tasks', load: () => import('./pages/installation/TaskList.tsx') },
  { path: '/installation/workspaces', load: () => import('./pages/installation/TenantList.tsx') },
  {
    path: '/installation/workspaces/$workspaceId',
    load: () => import('./pages/installation/TenantPage.tsx'),
  },
]

/** The pages of a workspace: below `/w/$slug`. */
const workspacePages: readonly PageRoute[] = [
  { path: '/', load: () => import('./pages/overview/Overview.tsx') },
  { path: '/approvals', load: () => import('./pages/approvals/Approvals.tsx') },
  { path: '/audit', load: () => import('./pages/audit/AuditPage.tsx') },
  { path: '/billing', load: () => import('./pages/billing/BillingPage.tsx') },
  { path: '/billing/invoices/$invoiceId', load: () => import('./pages/billing/InvoicePage.tsx') },
  { path: '/claims', load: () => import('./pages/claims/ClaimList.tsx') },
  { path: '/connections', load: () => import('./pages/connections/ConnectionList.tsx') },
  { path: '/devices', load: () => import('./pages/devices/DeviceList.tsx') },
  { path: '/devices/labels', load: () => import('./pages/claims/LabelSheet.tsx') },
  { path: '/devices/new', load: () => import('./pages/devices/NewDevice.tsx') },
  { path: '/devices/$deviceId', load: () => import('./pages/devices/DevicePage.tsx') },
  { path: '/domains', load: () => import('./pages/domains/DomainList.tsx') },
  { path: '/domains/$domainId', load: () => import('./pages/domains/DomainPage.tsx') },
  { path: '/endpoints', load: () => import('./pages/endpoints/EndpointList.tsx') },
  { path: '/events', load: () => import('./pages/events/EventsPage.tsx') },
  { path: '/groups', load: () => import('./pages/groups/GroupList.tsx') },
  { path: '/groups/$groupId', load: () => import('./pages/groups/GroupPage.tsx') },
  { path: '/jobs', load: () => import('./pages/jobs/JobList.tsx') },
  { path: '/jobs/$jobId', load: () => import('./pages/jobs/JobPage.tsx') },
  { path: '/keys', load: () => import('./pages/keys/KeyList.tsx') },
  { path: '/keys/$keyId', load: () => import('./pages/keys/KeyPage.tsx') },
  { path: '/logins', load: () => import('./pages/logins/LoginList.tsx') },
  { path: '/logins/$loginId', load: () => import('./pages/logins/LoginPage.tsx') },
  { path: '/messages', load: () => import('./pages/messages/MessagesPage.tsx') },
  { path: '/people', load: () => import('./pages/people/PeoplePage.tsx') },
  { path: '/rotations', load: () => import('./pages/rotations/CampaignList.tsx') },
  { path: '/rotations/$campaignId', load: () => import('./pages/rotations/CampaignPage.tsx') },
  { path: '/rules', load: () => import('./pages/rules/RulesPage.tsx') },
  { path: '/settings', load: () => import('./pages/settings/SettingsPage.tsx') },
  { path: '/templates', load: () => import('./pages/templates/TemplateList.tsx') },
  { path: '/templates/$templateId', load: () => import('./pages/templates/TemplatePage.tsx') },
  { path: '/transfer', load: () => import('./pages/transfer/TransferPage.tsx') },
  { path: '/usage', load: () => import('./pages/usage/UsagePage.tsx') },
  { path: '/webhooks', load: () => import('./pages/webhooks/WebhookList.tsx') },
  { path: '/webhooks/$webhookId', load: () => import('./pages/webhooks/WebhookPage.tsx') },
]

const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: Lost })

function Lost() {
  return (
    <CardPage
      title={t('There is no such page')}
      footer={<Link to="/workspaces">{t('Workspaces')}</Link>}
    >
      <p>{t('The link is old or mistyped.')}</p>
    </CardPage>
  )
}

/** Whether `import()` failed since files have other names after an upgrade of the service. */
const isGone = (message: string): boolean => /import|module script|chunk/i.test(message)

function Failed({ error }: { error: unknown }) {
  const message = error instanceof Error ? error.message : String(error)
  const reload = <Button onClick={() => window.location.reload()}>{t('Reload')}</Button>
  return isGone(message) ? (
    <Empty title={t('This page could not be loaded')} action={reload}>
      {t('The service has another version by now, or it does not answer.')}
    </Empty>
  ) : (
    <Empty title={t('This page has failed')} action={reload} command={message}>
      {t('It is a defect of the console. Nothing that the service has stored is lost.')}
    </Empty>
  )
}

/** Clears the list of calls for each page. */
function useFreshCalls(): void {
  const { pathname } = useLocation()
  useEffect(clearCalls, [pathname])
}

/** Leads to a page that has to come first, and passes the address to continue at. */
function First({ to }: { to: string }) {
  const { href } = useLocation()
  // The address of the first render: this one is still here while the other page is loaded.
  const [next] = useState(href)
  const navigate = useNavigate()
  useEffect(() => void navigate({ to, search: { next }, replace: true }), [navigate, next, to])
  return <Skeleton width="30%" />
}

const loadFrame = () => import('./session/frame.ts')
const Shell = lazyRouteComponent(loadFrame, 'Shell')

function SignedIn() {
  const session = useSession()
  useFreshCalls()
  if (session.status === 'starting') return <Skeleton width="30%" />
  if (session.status === 'out') return <First to="/sign-in" />
  if (session.mustChangePassword) return <First to="/new-password" />
  return (
    <Shell>
      <Outlet />
    </Shell>
  )
}

/** All but the sign-in. */
const cached = createRoute({
  getParentRoute: () => rootRoute,
  id: 'cached',
  component: lazyRouteComponent(() => import('./session/Cached.tsx')),
})
const signedIn = createRoute({
  getParentRoute: () => cached,
  id: 'in',
  component: SignedIn,
  // Together with the page, while the session is refreshed.
  loader: () => Shell.preload?.(),
})
const workspace = createRoute({
  getParentRoute: () => signedIn,
  path: '/w/$slug',
  component: lazyRouteComponent(loadFrame, 'InWorkspace'),
})
const installation = createRoute({
  getParentRoute: () => signedIn,
  id: 'installation',
  component: lazyRouteComponent(() => import('./pages/installation/Area.tsx')),
})
const tree = rootRoute.addChildren([
  createRoute({ getParentRoute: () => rootRoute, path: '/sign-in', component: SignIn }),
  cached.addChildren([
    ...publicPages.map(({ path, load }) =>
      createRoute({ getParentRoute: () => cached, path, component: lazyRouteComponent(load) }),
    ),
    signedIn.addChildren([
      ...[...ownPages, ...samplePages].map(({ path, load }) =>
        createRoute({ getParentRoute: () => signedIn, path, component: lazyRouteComponent(load) }),
      ),
      installation.addChildren(
        installationPages.map(({ path, load }) =>
          createRoute({
            getParentRoute: () => installation,
            path,
            component: lazyRouteComponent(load),
          }),
        ),
      ),
      workspace.addChildren(
        workspacePages.map(({ path, load }) =>
          createRoute({
            getParentRoute: () => workspace,
            path,
            component: lazyRouteComponent(load),
          }),
        ),
      ),
    ]),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  basepath: '/console',
  scrollRestoration: false,
  defaultErrorComponent: Failed,
  // The code of a page, once the pointer is on a link to it.
  defaultPreload: 'intent',
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
  defaultPendingComponent: () => <Skeleton width="30%" />,
})
