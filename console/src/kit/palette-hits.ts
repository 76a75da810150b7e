/** What the palette offers: pages, workspaces, things of the workspace, and acts. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Found } from '../../../sdk/schema.ts'
import { useRead } from '../api/hooks.ts'
import { hasSingleKeys, setSingleKeys, setTheme, theme } from '../session/preferences.ts'
import { useMaybeWorkspace, useWorkspaces } from '../session/workspace.tsx'
import { say } from './Overlay.tsx'
import { below, navigation } from './navigation.tsx'
import { copy } from './Text.tsx'

export interface Hit {
  label: string
  /** What tells it from others. */
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
  device: ['device', (id) => `devices/${id}`],
  device_template: ['template', (id) => `templates/${id}`],
  device_group: ['group', (id) => `groups/${id}`],
  api_key: ['API key', (id) => `keys/${id}`],
  person: ['person', () => 'people'],
  job: ['job', (id) => `jobs/${id}`],
  mqtt_principal: ['MQTT login', (id) => `logins/${id}`],
  webhook: ['webhook', (id) => `webhooks/${id}`],
  domain: ['domain', (id) => `domains/${id}`],
}

/** Acts on a device that can be typed before it; its page asks before it acts. */
const verbs = ['suspend', 'resume', 'disconnect', 'release', 'decommission'] as const

function readVerb(text: string): { verb: (typeof verbs)[number] | undefined; rest: string } {
  const [first = '', ...others] = text.trim().split(/\s+/)
  const verb = others.length > 0 ? verbs.find((each) => each === first.toLowerCase()) : undefined
  return { verb, rest: verb === undefined ? text.trim() : others.join(' ') }
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)

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
      const run = (): void => void navigate({ to, search: { act: verb } })
      return [{ label: `${capital(verb)} ${item.label}…`, detail, kind: 'act', run }]
    }
    const search = item.kind === 'device_group' ? { filter: `group = ${item.id}` } : {}
    return [{ label: item.label, detail, kind, run: () => void navigate({ to, search }) }]
  })
}

/** Acts that need nothing but a word. */
function useActs(): Hit[] {
  const workspace = useMaybeWorkspace()
  const themes = (['light', 'dark', 'system'] as const).filter((each) => each !== theme())
  const hasKeys = hasSingleKeys()
  const copyId = (id: string): Hit => ({
    label: 'Copy workspace id',
    detail: id,
    kind: 'act',
    run: () => void copy(id).then(() => say('Copied', id)),
  })
  return [
    ...(workspace === undefined ? [] : [copyId(workspace.id)]),
    ...themes.map((each) => ({
      label: `Theme: ${each}`,
      kind: 'act',
      run: () => setTheme(each),
    })),
    {
      label: hasKeys ? 'Turn single keys off' : 'Turn single keys on',
      kind: 'act',
      run: () => {
        setSingleKeys(!hasKeys)
        say(hasKeys ? 'Single keys are off' : 'Single keys are on')
      },
    },
  ]
}

export function useHits(text: string, slug: string | undefined): Hit[] {
  const { data } = useWorkspaces()
  const navigate = useNavigate()
  const found = useFound(text, slug)
  const acts = useActs()
  const wanted = text.trim().toLowerCase()
  const to = (path: string) => () => void navigate({ to: path })
  const entries = slug === undefined ? [] : navigation.flatMap((each) => each.entries)
  const places: Hit[] = [
    ...entries.map(({ label, path }) => ({
      label,
      kind: 'page',
      run: to(below(slug ?? '', path)),
    })),
    { label: 'Account', kind: 'page', run: to('/account') },
    { label: 'Security', kind: 'page', run: to('/account/security') },
    ...(data?.items ?? []).map(({ name, slug: other }) => ({
      label: name,
      kind: 'workspace',
      run: to(below(other, '')),
    })),
  ]
  const isWanted = ({ label }: Hit): boolean => label.toLowerCase().includes(wanted)
  return [...places.filter(isWanted), ...found, ...acts.filter(isWanted)]
}
