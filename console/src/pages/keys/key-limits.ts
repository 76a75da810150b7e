/** The limits of a provision key, as its form holds them and as the service takes them. */
import type { ApiKey, CreateApiKey, UpdateApiKey } from '../../../../sdk/schema.ts'
import { numberText } from '../../kit/numbers.ts'
import { quotaInWords } from './key-labels.tsx'
import { counted, t } from './translations.ts'

export type KeyAction = 'register' | 'rotate'
export type KnownDevice = NonNullable<ApiKey['on_known_device']>

export interface LimitsDraft {
  /** Empty for all templates. */
  templateIds: readonly string[]
  actions: readonly KeyAction[]
  /** One network a line. */
  networks: string
  quota: string
  rate: string
  /** As a field of type `datetime-local` holds it, in the zone of the browser. */
  expires: string
  knownDevice: KnownDevice
  needsApproval: boolean
}

export const noLimits: LimitsDraft = {
  templateIds: [],
  actions: ['register', 'rotate'],
  networks: '',
  quota: '',
  rate: '',
  expires: '',
  knownDevice: 'rotate',
  needsApproval: false,
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** An RFC 3339 time for a field of type `datetime-local`. */
export function localTime(at: string): string {
  const time = new Date(at)
  const day = [time.getFullYear(), twoDigits(time.getMonth() + 1), twoDigits(time.getDate())]
  return `${day.join('-')}T${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`
}

const inText = (value: number | null): string => (value === null ? '' : String(value))

export const limitsOf = (key: ApiKey): LimitsDraft => ({
  templateIds: key.template_ids ?? [],
  actions: key.actions ?? noLimits.actions,
  networks: key.allowed_cidrs?.join('\n') ?? '',
  quota: inText(key.device_quota),
  rate: inText(key.rate_per_min),
  expires: key.expires_at === null ? '' : localTime(key.expires_at),
  knownDevice: key.on_known_device ?? 'rotate',
  needsApproval: key.approval === 'required',
})

const linesOf = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** A text that is no number is sent as it is, so that the service points at it. */
const numberOf = (text: string): number | null => {
  if (text.trim() === '') return null
  const value = Number(text)
  return Number.isNaN(value) ? (text as unknown as number) : value
}

const orNull = <Item>(items: Item[]): Item[] | null => (items.length === 0 ? null : items)

/** All limits; null where there is none. */
const limitsBody = (draft: LimitsDraft) =>
  ({
    template_ids: orNull([...draft.templateIds]),
    actions: [...draft.actions],
    allowed_cidrs: orNull(linesOf(draft.networks)),
    device_quota: numberOf(draft.quota),
    rate_per_min: numberOf(draft.rate),
    expires_at: draft.expires === '' ? null : new Date(draft.expires).toISOString(),
    on_known_device: draft.knownDevice,
    approval: draft.needsApproval ? 'required' : 'none',
  }) satisfies UpdateApiKey

const isDefault: Readonly<Record<string, (draft: LimitsDraft) => boolean>> = {
  actions: ({ actions }) => actions.length === noLimits.actions.length,
  on_known_device: ({ knownDevice }) => knownDevice === noLimits.knownDevice,
  approval: ({ needsApproval }) => !needsApproval,
}

/** The limits that a new key has, without those that it does not have. */
export const newLimits = (draft: LimitsDraft): Partial<CreateApiKey> =>
  Object.fromEntries(
    Object.entries(limitsBody(draft)).filter(
      ([name, value]) => value !== null && isDefault[name]?.(draft) !== true,
    ),
  )

/** The limits that the person has changed. */
export function changedLimits(before: LimitsDraft, after: LimitsDraft): UpdateApiKey {
  const old: Record<string, unknown> = limitsBody(before)
  return Object.fromEntries(
    Object.entries(limitsBody(after)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]),
    ),
  )
}

/** The limits of a key in a few words. */
export function limitsInWords(key: ApiKey): string {
  if (key.key_kind === 'platform') return t('acts as an admin')
  const { template_ids: templates, actions, allowed_cidrs: networks } = key
  const parts = [
    actions?.length === 1 && (actions[0] === 'register' ? t('register only') : t('rotate only')),
    templates !== null && counted(templates.length, '{n} template', '{n} templates'),
    networks !== null && counted(networks.length, '{n} network', '{n} networks'),
    key.device_quota !== null && t('devices: {n}', { n: quotaInWords(key) }),
    key.rate_per_min !== null && t('{n} a minute', { n: numberText(key.rate_per_min) }),
    key.approval === 'required' && t('approval needed'),
  ]
  return parts.filter((part) => part !== false).join(', ') || t('no limits')
}
