/** Events by what they are about, for choosing: a test compares them with the types that there are. */
import { t } from '../words/frame.ts'
export const eventKinds: readonly (readonly [pattern: string, label: string])[] = [
  ['device.*', t('Devices')],
  ['command.*', t('Commands')],
  ['claim.*', t('Claims')],
  ['template.*', t('Templates')],
  ['device_group.*', t('Groups')],
  ['job.*', t('Jobs')],
  ['rotation_campaign.*', t('Rotation campaigns')],
  ['mqtt_principal.*', t('MQTT logins')],
  ['api_key.*', t('API keys')],
  ['member.*', t('Members')],
  ['session.*', t('Stolen sessions')],
  ['workspace.*', t('The workspace')],
  ['audit.*', t('Anchors of the audit log')],
  ['webhook.*', t('Webhooks')],
  ['domain.*', t('Domains')],
  ['certificate.*', t('Certificates')],
  ['usage.*', t('Limits of use')],
  ['subscription.*', t('The plan')],
  ['invoice.*', t('Invoices')],
  ['balance.*', t('The balance')],
  ['payment.*', t('Payments')],
  ['payment_method.*', t('Cards')],
]

const patterns = new Set(eventKinds.map(([pattern]) => pattern))

/** Types as a form shows them: whole kinds, and single types as text. */
export interface ChosenTypes {
  kinds: readonly string[]
  others: string
}

export const noTypes: ChosenTypes = { kinds: [], others: '' }

export const chosenOf = (types: readonly string[] | null): ChosenTypes => ({
  kinds: (types ?? []).filter((each) => patterns.has(each)),
  others: (types ?? []).filter((each) => !patterns.has(each)).join(', '),
})

/** @returns null for all types */
export function typesOf({ kinds, others }: ChosenTypes): string[] | null {
  const types = [...kinds, ...others.split(/[\s,]+/).filter((each) => each !== '')]
  return types.length === 0 ? null : types
}
