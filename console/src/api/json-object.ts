/** JSON that a person types. */
import { t } from '../words/frame.ts'

/** What a field says if its text is something else. */
export const NO_JSON_OBJECT = t('This is no JSON object.')

/** The object that a text holds; an empty text is an empty object; undefined for anything else. */
export function jsonObjectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
