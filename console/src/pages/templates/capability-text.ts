/** A capability definition as its form holds it. */
import type { CapabilityDefinition } from '../../../../sdk/schema.ts'
import { t } from './translations.ts'

export interface CapabilityText {
  name: string
  /** '' for a capability without a definition. */
  type: CapabilityDefinition['type'] | ''
  mode: NonNullable<CapabilityDefinition['mode']> | ''
  unit: string
  description: string
  min: string
  max: string
  /** JSON. */
  values: string
  /** JSON. */
  fallback: string
}

/** The kind of its values, for people. */
export const typeLabels: Readonly<Record<CapabilityDefinition['type'], string>> = {
  number: t('number'),
  integer: t('integer'),
  boolean: t('yes or no'),
  string: t('text'),
  object: t('object'),
}

const json = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value))

export const textOf = (
  name: string,
  definition: CapabilityDefinition | undefined,
): CapabilityText => ({
  name,
  type: definition?.type ?? '',
  mode: definition?.mode ?? '',
  unit: definition?.unit ?? '',
  description: definition?.description ?? '',
  min: json(definition?.min),
  max: json(definition?.max),
  values: json(definition?.enum),
  fallback: json(definition?.default),
})

/**
 * Why a capability cannot have a name.
 * @param old its name before, '' for a new one
 * @param names those of all capabilities of the template
 */
export function nameFault(name: string, old: string, names: readonly string[]): string | undefined {
  if (name === '') return t('Name it.')
  if (!/^[a-z][a-z0-9_.-]*$/.test(name))
    return t('Its name begins with a letter, and has a-z, 0-9, “_”, “.” and “-” only.')
  return name !== old && names.includes(name)
    ? t('There is already a capability {name}.', { name })
    : undefined
}

/** @throws SyntaxError */
const parsed = (text: string): unknown => (text.trim() === '' ? undefined : JSON.parse(text))

/** The definition, undefined for none; or what is wrong with the text. */
export function definitionOf(
  text: CapabilityText,
): { definition: CapabilityDefinition | undefined } | { error: string } {
  const { name, type, mode, unit, description } = text
  if (type === '') return { definition: undefined }
  try {
    const isNumeric = type === 'number' || type === 'integer'
    const members = {
      name,
      type,
      mode: mode || undefined,
      unit: unit || undefined,
      description: description || undefined,
      min: isNumeric ? parsed(text.min) : undefined,
      max: isNumeric ? parsed(text.max) : undefined,
      enum: parsed(text.values),
      default: parsed(text.fallback),
    }
    const some = Object.entries(members).filter(([, value]) => value !== undefined)
    return { definition: Object.fromEntries(some) as CapabilityDefinition }
  } catch {
    return { error: t('Numbers, values and the default are written as JSON: 1.5, ["on"], "on".') }
  }
}
