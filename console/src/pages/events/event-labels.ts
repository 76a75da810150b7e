/** Events in words. */
import type { AuditEntry, Event } from '../../../../sdk/schema.ts'
import { eventKinds } from '../../api/event-kinds.ts'
import { loadTable } from '../../i18n/translate.ts'
import { irregular } from './event-types.en.ts'

const ABBREVIATIONS = /\b(?:api|mqtt)\b/g

const translated = await loadTable(() => import('./event-types.de.ts'))

/** `device.credentials_reset`: “Device credentials reset”. */
export const eventText = (type: string): string =>
  translated[type] ?? irregular[type] ?? englishText(type)

function englishText(type: string): string {
  const words = type
    // Its name on pages.
    .replace('mqtt_principal', 'mqtt_login')
    .replace('rotation_campaign', 'rotation')
    .replaceAll(/[._]/g, ' ')
    .replaceAll(ABBREVIATIONS, (abbreviation) => abbreviation.toUpperCase())
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

const kindNames = new Map(eventKinds)

/** Types as people read them, also whole kinds. */
export const typesText = (types: readonly string[]): string =>
  types
    .map((each) => kindNames.get(each) ?? (each.includes('*') ? each : eventText(each)))
    .join(', ')

/** Named by what they belong to, if the event has that too: rules, and claims with their codes. */
const PART = /^(?:acl|clm)_/

/** The member of `data` that names what the event is about: that of a device, or the first id. */
export function subjectOf({ data }: Pick<Event, 'data'>): string | undefined {
  const { device_id } = data as { device_id?: unknown }
  const ids = [device_id, ...Object.values(data)].filter(
    (value): value is string =>
      typeof value === 'string' && /^[a-z]{2,4}_[0-7][0-9a-z]{25}$/.test(value),
  )
  return ids.find((id) => !PART.test(id)) ?? ids[0]
}

/**
 * The subject of an entry of an audit log, as in events: of a claim, its device or phone, and of a
 * refused CONNECT who tried it.
 */
export function resourceOf({
  resource,
  detail,
  actor,
}: Pick<AuditEntry, 'resource' | 'detail'> & Partial<Pick<AuditEntry, 'actor'>>) {
  const { operation_id } = detail as { operation_id?: unknown }
  if (resource === null && operation_id === 'mqtt.connect' && actor?.id?.startsWith('dev_')) {
    return { kind: 'device', id: actor.id }
  }
  if (resource?.kind !== 'claim') return resource
  return { ...resource, id: subjectOf({ data: detail }) ?? resource.id }
}
