/** Choosing events by their types. */
import { invalid } from '../../errors.ts'
import { type EventType, eventTypes } from '../../events/event.ts'

/**
 * The event types that are named, each in full or as `device.*`.
 * @throws Failure invalid_request, with this pointer.
 */
export function readTypes(names: readonly string[], pointer: string): EventType[] {
  const found = names.flatMap((name) => {
    const types = name.endsWith('.*')
      ? eventTypes.filter((type) => type.startsWith(name.slice(0, -1)))
      : eventTypes.filter((type) => type === name)
    if (types.length === 0) throw invalid(pointer, `names no event type: ${name.slice(0, 64)}`)
    return types
  })
  return [...new Set(found)]
}
