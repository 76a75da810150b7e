/** The entries of the palette: pages, workspaces, resources of the workspace, and actions. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Found } from '../../../sdk/schema.ts'
import type { OperationId } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { byHost } from '../api/host.ts'
import {
  hasSingleKeys,
  setSingleKeys,
  setTheme,
  type Theme,
  theme,
} from '../session/preferences.ts'
import { WITH_NEW } from '../session/new-dialog.ts'
import { useMaybeWorkspace, useWorkspaces, whyBlocked } from '../session/workspace.tsx'
import { say } from './Overlay.tsx'
import { below, navigation } from './navigation.tsx'
import { copy } from './clipboard.ts'
import { t } from '../i18n/frame.ts'

export interface Hit {
  label: string
  /** The detail that distinguishes it from others. */
  detail?: string
  kind: string
  run: () => void
}

const SETTLED_MS = 150

/** The text, once nothing more was typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

type Kind = Found['kind']

/** Their names and pages. */
const pages: Readonly<Record<Kind, readonly [name: string, path: (id: string) => string]>> = {
  device: [t('device'), (id) => `devices/${id}`],
  device_template: [t('template'), (id) => `templates/${id}`],
  device_group: [t('group'), (id) => `groups/${id}`],
  api_key: [t('API key'), (id) => `keys/${id}`],
  person: [t('person'), () => 'people'],
  job: [t('job'), (id) => `jobs/${id}`],
  mqtt_principal: [t('MQTT login'), (id) => `logins/${id}`],
  webhook: [t('webhook'), (id) => `webhooks/${id}`],
  domain: [t('domain'), (id) => `domains/${id}`],
}

interface Verb {
  /** In the address of the page of the device. */
  act: string
  operation: OperationId
  word: string
  label: (name: string) => string
}

/** Acts on a device that can be typed before it; its page asks before it acts. */
const verbs: readonly Verb[] = [
  {
    act: 'rotate',
    operation: 'suspendDevice',
    word: t('rotate'),
    label: (name) => t('Rotate {name}…', { name }),
  },
  {
    act: 'suspend',
    operation: 'suspendDevice',
    word: t('suspend'),
    label: (name) => t('Suspend {name}…', { name }),
  },
  {
    act: 'resume',
    operation: 'resumeDevice',
    word: t('resume'),
    label: (name) => t('Resume {name}…', { name }),
  },
  {
    act: 'disconnect',
    operation: 'disconnectDevice',
    word: t('disconnect'),
    label: (name) => t('Disconnect {name}…', { name }),
  },
  {
    act: 'release',
    operation: 'releaseDevice',
    word: t('release'),
    label: (name) => t('Release {name}…', { name }),
  },
  {
    act: 'decommission',
    operation: 'decommissionDevice',
    word: t('decommission'),
    label: (name) => t('Decommission {name}…', { name }),
  },
]

function readVerb(text: string): { verb: Verb | undefined; rest: string } {
  const [first = '', ...others] = text.trim().split(/\s+/)
  const typed = first.toLowerCase()
  const verb =
    others.length > 0 ? verbs.find(({ act, word }) => act === typed || word === typed) : undefined
  return { verb, rest: verb === undefined ? text.trim() : others.join(' ') }
}

function useFound(text: string, slug: string | undefined): Hit[] {
  const workspace = useMaybeWorkspace()
  const navigate = useNavigate()
  const { verb, rest } = readVerb(useSettled(text))
  const { data } = useRead(
    'searchWorkspace',
    { params: { id: workspace?.id ?? '' }, query: { q: rest } },
    { enabled: workspace !== undefined && rest.length > 1 },
  )
  const items = rest.length > 1 ? (data?.items ?? []) : []
  return items.flatMap((item): Hit[] => {
    const page = pages[item.kind]
    if (slug === undefined) return []
    const [kind, pathOf] = page
    const to = below(slug, pathOf(item.id))
    const detail = [item.detail, item.status ?? ''].filter(Boolean).join(' · ')
    if (verb !== undefined) {
      if (item.kind !== 'device') return []
      const run = (): void => void navigate({ to, search: { act: verb.act } })
      const blocked = whyBlocked(workspace ?? null, verb.operation)
      return [{ label: verb.label(item.label), detail: blocked ?? detail, kind: t('act'), run }]
    }
    const search = item.kind === 'device_group' ? { filter: `group = ${item.id}` } : {}
    return [{ label: byHost(item.label), detail, kind, run: () => void navigate({ to, search }) }]
  })
}

/** A resource that can be made: its action, the page for it, and the operation. */
const creations = [
  [t('Connect a device'), 'devices/new', 'createDevice'],
  [t('Create template'), 'templates', 'createDeviceTemplate'],
  [t('Create group'), 'groups', 'createDeviceGroup'],
  [t('Create key'), 'keys', 'createApiKey'],
  [t('Create login'), 'logins', 'createMqttPrincipal'],
  [t('Create webhook'), 'webhooks', 'createWebhook'],
  [t('Add domain'), 'domains', 'addDomain'],
] as const

/** The act of a page comes with the reason why the person may not do it. */
function useCreations(): Hit[] {
  const workspace = useMaybeWorkspace()
  const navigate = useNavigate()
  if (workspace === undefined) return []
  return creations.map(([label, path, operation]) => {
    const to = below(workspace.slug, path)
    const blocked = whyBlocked(workspace, operation)
    return {
      label,
      ...(blocked !== undefined && { detail: blocked }),
      kind: t('act'),
      run: () => void navigate({ to, search: path.includes('/') ? {} : WITH_NEW }),
    }
  })
}

const themeLabels: Readonly<Record<Theme, string>> = {
  light: t('Theme: light'),
  dark: t('Theme: dark'),
  system: t('Theme: system'),
}

/** Acts that need nothing but a word. */
function useActs(): Hit[] {
  const workspace = useMaybeWorkspace()
  const themes = (['light', 'dark', 'system'] as const).filter((each) => each !== theme())
  const hasKeys = hasSingleKeys()
  const copyId = (id: string): Hit => ({
    label: t('Copy workspace id'),
    detail: id,
    kind: t('act'),
    run: () => void copy(id).then(() => say(t('Copied'), id)),
  })
  return [
    ...(workspace === undefined ? [] : [copyId(workspace.id)]),
    ...themes.map((each) => ({
      label: themeLabels[each],
      kind: t('act'),
      run: () => setTheme(each),
    })),
    {
      label: hasKeys ? t('Turn single keys off') : t('Turn single keys on'),
      kind: t('act'),
      run: () => {
        setSingleKeys(!hasKeys)
        say(hasKeys ? t('Single keys are off') : t('Single keys are on'))
      },
    },
  ]
}

export function useHits(text: string, slug: string | undefined): Hit[] {
  const { data } = useWorkspaces()
  const navigate = useNavigate()
  const found = useFound(text, slug)
  const acts = [...useCreations(), ...useActs()]
  const wanted = text.trim().toLowerCase()
  const to = (path: string) => () => void navigate({ to: path })
  const entries = slug === undefined ? [] : navigation.flatMap((each) => each.entries)
  const places: Hit[] = [
    ...entries.map(({ label, path }) => ({
      label,
      kind: t('page'),
      run: to(below(slug ?? '', path)),
    })),
    { label: t('Account'), kind: t('page'), run: to('/account') },
    { label: t('Security'), kind: t('page'), run: to('/account/security') },
    ...(data?.items ?? []).map(({ name, slug: other }) => ({
      label: name,
      kind: t('workspace'),
      run: to(below(other, '')),
    })),
  ]
  const isWanted = ({ label }: Hit): boolean => label.toLowerCase().includes(wanted)
  return [...places.filter(isWanted), ...found, ...acts.filter(isWanted)]
}
