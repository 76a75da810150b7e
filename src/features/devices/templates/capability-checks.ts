/** Validates a template's capabilities against their definitions. */
import { invalid } from '../../../platform/errors/errors.ts'
import { isJsonObject } from '../../../platform/lib/json.ts'
import type { CapabilityDefinition } from './schema.ts'
import type { TemplateFields } from './store.ts'

const isNumeric = ({ type }: CapabilityDefinition): boolean =>
  type === 'number' || type === 'integer'

function hasType({ type }: CapabilityDefinition, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(value)
    case 'object':
      return isJsonObject(value)
    default:
      return typeof value === type
  }
}

/** The fault of a value, in words that follow its name; undefined if none. */
function valueError(definition: CapabilityDefinition, value: unknown): string | undefined {
  const { type, min, max } = definition
  if (!hasType(definition, value)) {
    return `must be ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}, the type of the capability`
  }
  if (typeof value === 'number') {
    if (min !== undefined && value < min) return 'is less than min'
    if (max !== undefined && value > max) return 'is greater than max'
  }
  return undefined
}

function checkBounds(definition: CapabilityDefinition, at: string): void {
  const { type, min, max } = definition
  for (const name of ['min', 'max'] as const) {
    const bound = definition[name]
    if (bound === undefined) continue
    if (!isNumeric(definition)) throw invalid(`${at}/${name}`, `does not go with the type ${type}`)
    if (!hasType(definition, bound)) throw invalid(`${at}/${name}`, 'must be an integer')
  }
  if (min !== undefined && max !== undefined && min > max) {
    throw invalid(`${at}/max`, 'is less than min')
  }
}

function checkValues(definition: CapabilityDefinition, at: string): void {
  const { type, enum: values } = definition
  if (values === undefined) return
  if (type !== 'string' && !isNumeric(definition)) {
    throw invalid(`${at}/enum`, `does not go with the type ${type}`)
  }
  for (const [index, value] of values.entries()) {
    const error = values.indexOf(value) < index ? 'is a duplicate' : valueError(definition, value)
    if (error !== undefined) throw invalid(`${at}/enum/${index}`, error)
  }
}

function checkDefault(definition: CapabilityDefinition, at: string): void {
  if (!('default' in definition)) return
  const { default: value, enum: values } = definition
  const error = valueError(definition, value)
  if (error !== undefined) throw invalid(`${at}/default`, error)
  if (values !== undefined && !values.includes(value as string)) {
    throw invalid(`${at}/default`, 'is not one of enum')
  }
}

/** @throws Failure invalid_request pointing at the member */
export function checkCapabilities({ capabilities, capability_definitions }: TemplateFields): void {
  const defined = new Set<string>()
  for (const [index, definition] of capability_definitions.entries()) {
    const at = `/capability_definitions/${index}`
    const { name } = definition
    if (defined.has(name)) throw invalid(`${at}/name`, 'is defined twice')
    if (!capabilities.includes(name)) throw invalid(`${at}/name`, 'is not one of the capabilities')
    defined.add(name)
    checkBounds(definition, at)
    checkValues(definition, at)
    checkDefault(definition, at)
  }
}
