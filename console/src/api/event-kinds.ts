/** Events by what they are about, for choosing: a test compares them with the types that there are. */
export const eventKinds: readonly (readonly [pattern: string, label: string])[] = [
  ['device.*', 'Devices'],
  ['command.*', 'Commands'],
  ['claim.*', 'Claims'],
  ['template.*', 'Templates'],
  ['device_group.*', 'Groups'],
  ['job.*', 'Jobs'],
  ['rotation_campaign.*', 'Rotation campaigns'],
  ['mqtt_principal.*', 'MQTT logins'],
  ['api_key.*', 'API keys'],
  ['member.*', 'Members'],
  ['session.*', 'Stolen sessions'],
  ['workspace.*', 'The workspace'],
  ['audit.*', 'Anchors of the audit log'],
  ['webhook.*', 'Webhooks'],
  ['domain.*', 'Domains'],
  ['certificate.*', 'Certificates'],
  ['usage.*', 'Limits of use'],
  ['subscription.*', 'The plan'],
  ['invoice.*', 'Invoices'],
  ['balance.*', 'The balance'],
  ['payment.*', 'Payments'],
  ['payment_method.*', 'Cards'],
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
