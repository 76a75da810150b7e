/** Selects events by type. */
import { invalid } from '../../../platform/errors/errors.ts'
import { type EventType, eventTypes } from '../../../platform/record/event.ts'

/** The event types of a name, which may be a pattern such as `device.*`. */
const typesOf = (name: string): EventType[] =>
  name.endsWith('.*')
    ? eventTypes.filter((type) => type.startsWith(name.slice(0, -1)))
    : eventTypes.filter((type) => type === name)

/** Stored names, which may come from another build. */
export const typesNamed = (names: readonly string[]): EventType[] => [
  ...new Set(names.flatMap(typesOf)),
]

/**
 * The named event types, in full or as patterns such as `device.*`.
 * @throws Failure invalid_request with this pointer
 */
export function readTypes(names: readonly string[], pointer: string): EventType[] {
  for (const name of names) {
    if (typesOf(name).length === 0) {
      throw invalid(pointer, `names no event type: ${name.slice(0, 64)}`)
    }
  }
  return typesNamed(names)
}
