/** The pages of the console as data: each route, with an address where it can be looked at. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './sources.ts'

/** Texts that a tenant, a device or a phone may send: nothing of them may run. */
export const HOSTILE = '<img src=x onerror=alert(1)>"\'${{7*7}}'

/** The same where neither spaces nor quotation marks may be. */
export const HOSTILE_WORD = '<img/src=x/onerror=alert(1)>'

/** Ids of what was made in the workspace. */
export interface Made {
  account: string
  campaign: string
  device: string
  domain: string
  group: string
  invoice: string
  job: string
  login: string
  key: string
  template: string
  webhook: string
  workspace: string
}

export interface Place {
  /** As in `console/src/routes.tsx`. */
  route: string
  /** Below `/console`; `slug` is of the workspace. */
  path: (slug: string, made: Made) => string
  /** There only if something was made. */
  needsData?: true
}

const here = (route: string): Place => ({ route, path: () => route })
const inWorkspace = (route: string, search = ''): Place => ({
  route,
  path: (slug) => `/w/${slug}${route}${search}`,
})
const of = (route: string, kind: keyof Made, search = ''): Place => ({
  route,
  needsData: true,
  path: (slug, made) => `/w/${slug}${route.replace(/\$\w+/, made[kind])}${search}`,
})

const read = (path: string): string => readFileSync(join(ROOT, 'console/src', path), 'utf8')

/** A page and all of its tabs, which its file declares as `sections`. */
function tabs(route: string, kind: keyof Made, file: string): Place[] {
  const [block = ''] = /const sections[^]*?\n\}/.exec(read(`pages/${file}`)) ?? []
  const names = [...block.matchAll(/^ {2}(\w+): \[/gm)].map(([, name = '']) => name)
  return names.map((name) => of(route, kind, `?tab=${name}`))
}

/** For everybody. Their links are used up or invalid: the journeys see the page of a good one. */
export const publicPlaces: readonly Place[] = [
  here('/sign-in'),
  here('/forgot'),
  here('/reset'),
  here('/sign-up'),
  here('/verify'),
  here('/email'),
  here('/setup'),
  here('/invitations'),
  here('/account-deleted'),
  // The one link whose page asks the service before anybody has pressed a button.
  { route: '/invitations', path: () => '/invitations#token=none' },
  { route: '/sign-in/sso/$provider', path: () => '/sign-in/sso/acme' },
]

/** For operators, below `/installation`. A page that needs an id says that there is none. */
export const installationPlaces: readonly Place[] = [
  here('/installation'),
  here('/installation/accounts'),
  { ...here('/installation/accounts'), path: () => '/installation/accounts?search=nobody' },
  {
    route: '/installation/accounts/$accountId',
    path: (_slug, { account }) => `/installation/accounts/${account}`,
  },
  here('/installation/audit'),
  here('/installation/brokers'),
  {
    route: '/installation/doctor-runs/$runId',
    path: () => '/installation/doctor-runs/run_01jd0000000000000000000000',
  },
  here('/installation/invitations'),
  here('/installation/invoices'),
  here('/installation/mails'),
  here('/installation/settings'),
  here('/installation/tasks'),
  here('/installation/workspaces'),
  {
    route: '/installation/workspaces/$workspaceId',
    path: (_slug, { workspace }) => `/installation/workspaces/${workspace}`,
  },
]

/** The document of its own in which a person pays, by what it is opened for. */
export const payPlaces: readonly Place[] = ['method', 'invoice', 'top-up'].map((purpose) =>
  here(`/pay/${purpose}`),
)

/** Only in a build of its own. */
export const samplePlaces: readonly Place[] = [here('/kit')]

export const ownPlaces: readonly Place[] = [
  here('/account'),
  here('/account/security'),
  here('/account/sessions'),
  here('/cli'),
  here('/workspaces'),
  here('/new-password'),
  inWorkspace('/'),
  inWorkspace('/approvals'),
  inWorkspace('/audit'),
  inWorkspace('/audit', '?filter=colour+%3D+red'),
  ...['plan', 'invoices', 'balance', 'payments'].map((tab) =>
    inWorkspace('/billing', `?tab=${tab}`),
  ),
  inWorkspace('/claims'),
  inWorkspace('/devices/labels'),
  inWorkspace('/connections'),
  inWorkspace('/connections', '?filter=colour+%3D+red'),
  inWorkspace('/devices'),
  inWorkspace('/devices', '?filter=status+%3D+purple'),
  inWorkspace('/devices/new'),
  inWorkspace('/domains'),
  inWorkspace('/endpoints'),
  inWorkspace('/events'),
  inWorkspace('/events', '?types=device.*'),
  inWorkspace('/groups'),
  inWorkspace('/jobs'),
  inWorkspace('/keys'),
  inWorkspace('/logins'),
  inWorkspace('/messages'),
  inWorkspace('/messages', '?topic=acme%2F%23'),
  inWorkspace('/people'),
  inWorkspace('/rotations'),
  inWorkspace('/rules'),
  inWorkspace('/settings'),
  inWorkspace('/templates'),
  inWorkspace('/transfer'),
  inWorkspace('/usage'),
  inWorkspace('/usage', '?by=hour'),
  inWorkspace('/webhooks'),
  ...tabs('/devices/$deviceId', 'device', 'devices/DevicePage.tsx'),
  of('/billing/invoices/$invoiceId', 'invoice'),
  of('/domains/$domainId', 'domain'),
  of('/groups/$groupId', 'group'),
  of('/rotations/$campaignId', 'campaign'),
  of('/jobs/$jobId', 'job'),
  of('/keys/$keyId', 'key'),
  ...tabs('/logins/$loginId', 'login', 'logins/LoginPage.tsx'),
  ...tabs('/templates/$templateId', 'template', 'templates/TemplatePage.tsx'),
  ...tabs('/webhooks/$webhookId', 'webhook', 'webhooks/WebhookPage.tsx'),
]

/** The routes of the console's table, and the addresses of the document in which a person pays. */
export function routesOfConsole(): string[] {
  const table = [...read('routes.tsx').matchAll(/\{ path: '([^']+)', load:/g)]
  const [, purposes = ''] = /type Purpose = (.+)/.exec(read('session/handover.ts')) ?? []
  return [
    ...table.map(([, path = '']) => path),
    ...[...purposes.matchAll(/'([^']+)'/g)].map(([, purpose = '']) => `/pay/${purpose}`),
  ]
}
