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
import { t } from '../i18n/frame.ts'

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
  { entries: [{ label: t('Overview'), icon: <Gauge size={16} />, path: '', key: 'o' }] },
  {
    group: t('Fleet'),
    entries: [
      { label: t('Devices'), icon: <Cpu size={16} />, path: 'devices', key: 'd' },
      { label: t('Groups'), icon: <Boxes size={16} />, path: 'groups', key: 'b' },
      { label: t('Templates'), icon: <Layers size={16} />, path: 'templates', key: 't' },
      { label: t('Approvals'), icon: <CheckCheck size={16} />, path: 'approvals', key: 'a' },
      { label: t('Jobs'), icon: <Activity size={16} />, path: 'jobs', key: 'j' },
      { label: t('Rotations'), icon: <RefreshCw size={16} />, path: 'rotations', key: 'n' },
      {
        label: t('Import and export'),
        icon: <ArrowDownUp size={16} />,
        path: 'transfer',
        key: 'i',
      },
      { label: t('Claims'), icon: <Smartphone size={16} />, path: 'claims', key: 'h' },
    ],
  },
  {
    group: t('Access'),
    entries: [
      { label: t('API keys'), icon: <KeyRound size={16} />, path: 'keys', key: 'k' },
      { label: t('MQTT logins'), icon: <UserCog size={16} />, path: 'logins', key: 'l' },
      { label: t('Rules'), icon: <Scale size={16} />, path: 'rules', key: 'r' },
    ],
  },
  {
    group: t('MQTT'),
    entries: [
      { label: t('Connections'), icon: <PlugZap size={16} />, path: 'connections', key: 'c' },
      { label: t('Live messages'), icon: <MessagesSquare size={16} />, path: 'messages', key: 'm' },
      { label: t('Endpoints'), icon: <Cable size={16} />, path: 'endpoints', key: 'e' },
    ],
  },
  {
    group: t('Integrations'),
    entries: [
      { label: t('Events'), icon: <Rss size={16} />, path: 'events', key: 'v' },
      { label: t('Webhooks'), icon: <Webhook size={16} />, path: 'webhooks', key: 'w' },
      { label: t('Domains'), icon: <Globe size={16} />, path: 'domains', key: 'x' },
    ],
  },
  {
    group: t('Workspace'),
    entries: [
      { label: t('People'), icon: <Users size={16} />, path: 'people', key: 'p' },
      { label: t('Audit log'), icon: <ScrollText size={16} />, path: 'audit', key: 'u' },
      { label: t('Usage'), icon: <ChartColumn size={16} />, path: 'usage', key: 'y' },
      { label: t('Billing'), icon: <Receipt size={16} />, path: 'billing', key: 'z' },
      { label: t('Settings'), icon: <Settings size={16} />, path: 'settings', key: 's' },
    ],
  },
]

/** Where a person goes outside of the workspaces; with paths of the console. */
export const ownNavigation: typeof navigation = [
  {
    entries: [{ label: t('Workspaces'), icon: <Boxes size={16} />, path: '/workspaces', key: '' }],
  },
  {
    group: t('Account'),
    entries: [
      { label: t('Profile'), icon: <Settings size={16} />, path: '/account', key: '' },
      { label: t('Security'), icon: <KeyRound size={16} />, path: '/account/security', key: '' },
      { label: t('Sessions'), icon: <Activity size={16} />, path: '/account/sessions', key: '' },
    ],
  },
]

interface Place {
  label: string
  icon: ReactNode
  to: string
}

/** The texts for operators about the whole installation. */
export const installationNavigation: readonly Place[] = [
  { label: t('Health'), icon: <Server size={16} />, to: '/installation' },
  { label: t('Accounts'), icon: <Users size={16} />, to: '/installation/accounts' },
  { label: t('All workspaces'), icon: <Building2 size={16} />, to: '/installation/workspaces' },
  { label: t('Invitations'), icon: <MailPlus size={16} />, to: '/installation/invitations' },
  { label: t('Mail'), icon: <Mail size={16} />, to: '/installation/mails' },
  { label: t('Brokers'), icon: <Cable size={16} />, to: '/installation/brokers' },
  { label: t('Background work'), icon: <ListChecks size={16} />, to: '/installation/tasks' },
  { label: t('Invoices'), icon: <Receipt size={16} />, to: '/installation/invoices' },
  { label: t('Audit log'), icon: <ScrollText size={16} />, to: '/installation/audit' },
  { label: t('Settings'), icon: <Settings size={16} />, to: '/installation/settings' },
]

/** The path of a page of a workspace. */
export const below = (slug: string, path: string): string =>
  path === '' ? `/w/${slug}` : `/w/${slug}/${path}`
