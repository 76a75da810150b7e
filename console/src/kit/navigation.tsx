/** The navigation of a workspace, and the paths of its pages. */
import {
  Activity,
  ArrowDownUp,
  Boxes,
  Building2,
  Cable,
  ChartColumn,
  CheckCheck,
  Cpu,
  Gauge,
  Globe,
  KeyRound,
  Layers,
  ListChecks,
  Mail,
  MailPlus,
  MessagesSquare,
  PlugZap,
  Receipt,
  RefreshCw,
  Rss,
  Scale,
  ScrollText,
  Server,
  Settings,
  Smartphone,
  UserCog,
  Users,
  Webhook,
} from 'lucide-react'
import type { ReactNode } from 'react'

export interface NavEntry {
  label: string
  icon: ReactNode
  /** Below the workspace; '' is its overview. */
  path: string
  /** Typed after `g`. */
  key: string
}

/** The navigation of a workspace, in groups. */
export const navigation: readonly { group?: string; entries: readonly NavEntry[] }[] = [
  { entries: [{ label: 'Overview', icon: <Gauge size={16} />, path: '', key: 'o' }] },
  {
    group: 'Fleet',
    entries: [
      { label: 'Devices', icon: <Cpu size={16} />, path: 'devices', key: 'd' },
      { label: 'Groups', icon: <Boxes size={16} />, path: 'groups', key: 'b' },
      { label: 'Templates', icon: <Layers size={16} />, path: 'templates', key: 't' },
      { label: 'Approvals', icon: <CheckCheck size={16} />, path: 'approvals', key: 'a' },
      { label: 'Jobs', icon: <Activity size={16} />, path: 'jobs', key: 'j' },
      { label: 'Rotations', icon: <RefreshCw size={16} />, path: 'rotations', key: 'n' },
      {
        label: 'Import and export',
        icon: <ArrowDownUp size={16} />,
        path: 'transfer',
        key: 'i',
      },
      { label: 'Claims', icon: <Smartphone size={16} />, path: 'claims', key: 'h' },
    ],
  },
  {
    group: 'Access',
    entries: [
      { label: 'API keys', icon: <KeyRound size={16} />, path: 'keys', key: 'k' },
      { label: 'MQTT logins', icon: <UserCog size={16} />, path: 'logins', key: 'l' },
      { label: 'Rules', icon: <Scale size={16} />, path: 'rules', key: 'r' },
    ],
  },
  {
    group: 'MQTT',
    entries: [
      { label: 'Connections', icon: <PlugZap size={16} />, path: 'connections', key: 'c' },
      { label: 'Live messages', icon: <MessagesSquare size={16} />, path: 'messages', key: 'm' },
      { label: 'Endpoints', icon: <Cable size={16} />, path: 'endpoints', key: 'e' },
    ],
  },
  {
    group: 'Integrations',
    entries: [
      { label: 'Events', icon: <Rss size={16} />, path: 'events', key: 'v' },
      { label: 'Webhooks', icon: <Webhook size={16} />, path: 'webhooks', key: 'w' },
      { label: 'Domains', icon: <Globe size={16} />, path: 'domains', key: 'x' },
    ],
  },
  {
    group: 'Workspace',
    entries: [
      { label: 'People', icon: <Users size={16} />, path: 'people', key: 'p' },
      { label: 'Audit log', icon: <ScrollText size={16} />, path: 'audit', key: 'u' },
      { label: 'Usage', icon: <ChartColumn size={16} />, path: 'usage', key: 'y' },
      { label: 'Billing', icon: <Receipt size={16} />, path: 'billing', key: 'z' },
      { label: 'Settings', icon: <Settings size={16} />, path: 'settings', key: 's' },
    ],
  },
]

/** Where a person goes outside of the workspaces; with paths of the console. */
export const ownNavigation: typeof navigation = [
  { entries: [{ label: 'Workspaces', icon: <Boxes size={16} />, path: '/workspaces', key: '' }] },
  {
    group: 'Account',
    entries: [
      { label: 'Profile', icon: <Settings size={16} />, path: '/account', key: '' },
      { label: 'Security', icon: <KeyRound size={16} />, path: '/account/security', key: '' },
      { label: 'Sessions', icon: <Activity size={16} />, path: '/account/sessions', key: '' },
    ],
  },
]

interface Place {
  label: string
  icon: ReactNode
  to: string
}

/** What operators see of the whole installation. */
export const installationNavigation: readonly Place[] = [
  { label: 'Health', icon: <Server size={16} />, to: '/installation' },
  { label: 'Accounts', icon: <Users size={16} />, to: '/installation/accounts' },
  { label: 'All workspaces', icon: <Building2 size={16} />, to: '/installation/workspaces' },
  { label: 'Invitations', icon: <MailPlus size={16} />, to: '/installation/invitations' },
  { label: 'Mail', icon: <Mail size={16} />, to: '/installation/mails' },
  { label: 'Brokers', icon: <Cable size={16} />, to: '/installation/brokers' },
  { label: 'Background work', icon: <ListChecks size={16} />, to: '/installation/tasks' },
  { label: 'Invoices', icon: <Receipt size={16} />, to: '/installation/invoices' },
  { label: 'Audit log', icon: <ScrollText size={16} />, to: '/installation/audit' },
  { label: 'Settings', icon: <Settings size={16} />, to: '/installation/settings' },
]

/** The path of a page of a workspace. */
export const below = (slug: string, path: string): string =>
  path === '' ? `/w/${slug}` : `/w/${slug}/${path}`
