/** The rights that a change of a template takes from its devices and gives to them. */
import type { TemplateEffect } from '../../../../sdk/schema.ts'
import { Stack } from '../../kit/Layout.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Effect as RulesEffect } from '../rules/Effect.tsx'
import { t } from './translations.ts'

function inWords({ value, is_lower_bound }: TemplateEffect['devices']): string {
  const n = numberText(value)
  return is_lower_bound ? t('{n} or more', { n }) : n
}

function concerned({ devices, connected }: TemplateEffect): string {
  const values = { devices: inWords(devices), connected: inWords(connected) }
  return devices.value === 1
    ? t(
        '{devices} device has this template, {connected} of them connected. Live sessions get the change within a second.',
        values,
      )
    : t(
        '{devices} devices have this template, {connected} of them connected. Live sessions get the change within a second.',
        values,
      )
}

export const Effect = ({ effect }: { effect: TemplateEffect }) => (
  <Stack tight>
    <p>{concerned(effect)}</p>
    <RulesEffect effect={effect} titles={[t('Each of them loses'), t('Each of them gains')]} />
  </Stack>
)
