/** JSON merge patch (RFC 7396). */

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * What becomes of `target` under `patch`: members of the patch replace those of the target, null
 * removes, objects go on inside, and everything else is replaced as a whole. Neither is changed.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const members = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name)
    else members.set(name, mergePatch(members.get(name), value))
  }
  return Object.fromEntries(members)
}

/** The same for two objects, whose result is one again. */
export const mergeObjects = (
  target: Record<string, unknown>,
  patch: Record<string, unknown>,
): Record<string, unknown> => mergePatch(target, patch) as Record<string, unknown>
