/** JSON that a person types. */
import { t } from '../i18n/frame.ts'

/** The error of a field if its text is something else. */
export const NO_JSON_OBJECT = t('This is no JSON object.')

/** @throws SyntaxError; an empty text is an empty object */
const parsed = (text: string): unknown => JSON.parse(text.trim() === '' ? '{}' : text)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object that a text holds; undefined for anything else. */
export function jsonObjectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value = parsed(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The fault of a text that has to hold an object, and its place if the browser reports it. */
export function jsonFaultOf(text: string): string | undefined {
  try {
    return isObject(parsed(text)) ? undefined : NO_JSON_OBJECT
  } catch (error) {
    const [, line, character] = /line (\d+) column (\d+)/.exec(String(error)) ?? []
    if (line === undefined || character === undefined) return NO_JSON_OBJECT
    return t('This is no JSON: see line {line}, character {character}.', { line, character })
  }
}
