/**
 * Values of custom fields as a form holds them: the text of each; none where a device has no value.
 */
import type { CustomField } from '../../../sdk/schema.ts'

type Values = Readonly<Record<string, unknown>>
type Texts = Readonly<Record<string, string>>
type Typed = Pick<CustomField, 'name' | 'type'>

/** @returns the text of each field; '' for one that has no value */
export const fieldTexts = (values: Values, fields: readonly Typed[]): Record<string, string> =>
  Object.fromEntries(
    fields.map(({ name, type }) => {
      const value = values[name]
      if (value === undefined || value === null) return [name, '']
      const isText = type === 'string' && typeof value === 'string'
      return [name, isText ? value : JSON.stringify(value)]
    }),
  )

/** @returns undefined for what is no JSON */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @returns the fields whose text is no value: numbers are left to the service, which says more */
export const unreadableFields = (texts: Texts, fields: readonly Typed[]): string[] =>
  fields.flatMap(({ name, type }) => {
    const text = (texts[name] ?? '').trim()
    return type === 'json' && text !== '' && jsonOf(text) === undefined ? [name] : []
  })

function valueOf(text: string, type: CustomField['type']): unknown {
  if (text.trim() === '') return null
  if (type === 'string') return text
  // A number that is none is sent as it is, so that the service points at it.
  const value = jsonOf(text)
  return value === undefined ? text : value
}

/** @returns the values whose text has changed; null for one that is to go */
export const changedFields = (
  before: Texts,
  after: Texts,
  fields: readonly Typed[],
): Record<string, unknown> =>
  Object.fromEntries(
    fields
      .filter(({ name }) => (before[name] ?? '') !== (after[name] ?? ''))
      .map(({ name, type }) => [name, valueOf(after[name] ?? '', type)]),
  )
