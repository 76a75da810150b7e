/** JSON merge patch (RFC 7396). */
import { isJsonObject } from './json.ts'

/**
 * Applies `patch` to `target`: members replace those of the target, null removes, objects merge
 * recursively, anything else is replaced as a whole. Neither argument is mutated.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch
  const members = new Map(isJsonObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name)
    else members.set(name, mergePatch(members.get(name), value))
  }
  return Object.fromEntries(members)
}

/** The same for two objects, whose result is again an object. */
export const mergeObjects = (
  target: Record<string, unknown>,
  patch: Record<string, unknown>,
): Record<string, unknown> => mergePatch(target, patch) as Record<string, unknown>
