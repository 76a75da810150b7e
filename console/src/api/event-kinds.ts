/**
 * Events by what they are about, for choosing, in the order of the menu: a test compares them with
 * the types that there are.
 */
import { t } from '../i18n/frame.ts'
export const eventKinds: readonly (readonly [pattern: string, label: string])[] = [
  ['device.*', t('Devices')],
  ['command.*', t('Commands')],
  ['device_group.*', t('Groups')],
  ['template.*', t('Templates')],
  ['job.*', t('Jobs')],
  ['rotation_campaign.*', t('Rotations')],
  ['claim.*', t('Claims')],
  ['api_key.*', t('API keys')],
  ['mqtt_principal.*', t('MQTT logins')],
  ['webhook.*', t('Webhooks')],
  ['domain.*', t('Domains')],
  ['certificate.*', t('Certificates')],
  ['member.*', t('Members')],
  ['session.*', t('Session security')],
  ['audit.*', t('Audit log')],
  ['usage.*', t('Usage limits')],
  ['subscription.*', t('Plan')],
  ['invoice.*', t('Invoices')],
  ['balance.*', t('Balance')],
  ['payment.*', t('Payments')],
  ['payment_method.*', t('Cards')],
  ['workspace.*', t('Workspace')],
]

const patterns = new Set(eventKinds.map(([pattern]) => pattern))

/** Types as a form shows them: whole kinds, and single types. */
export interface ChosenTypes {
  kinds: readonly string[]
  others: readonly string[]
}

export const noTypes: ChosenTypes = { kinds: [], others: [] }

export const chosenOf = (types: readonly string[] | null): ChosenTypes => ({
  kinds: (types ?? []).filter((each) => patterns.has(each)),
  others: (types ?? []).filter((each) => !patterns.has(each)),
})

/** @returns null for all types */
export function typesOf({ kinds, others }: ChosenTypes): string[] | null {
  const types = [...kinds, ...others]
  return types.length === 0 ? null : types
}
