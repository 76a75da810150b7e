/** Keys that a device can't have, anyone who creates it. */
import { type Failure, invalid } from '../../platform/errors/errors.ts'
import { parseId } from '../../platform/lib/ids.ts'

/** Prefixes of the ids that rules may name as a topic level. */
const PREFIXES = ['dev', 'mqp', 'mqm'] as const

/**
 * Whether a device key has the form of an id of an MQTT client. Such a device would share the
 * topics of the client with this id, if its rules name `{device_id}` or `{principal_id}`.
 */
export const isClientId = (deviceKey: string): boolean =>
  PREFIXES.some((prefix) => parseId(prefix, deviceKey) !== undefined)

export const reservedKey = (): Failure =>
  invalid('/device_key', 'has the form of an id, which belongs to another client of the workspace')
