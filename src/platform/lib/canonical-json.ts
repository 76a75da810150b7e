/** Canonical JSON for hashing and comparing (RFC 8785, JCS). */

/**
 * The canonical text of a JSON value: no white space, members sorted by UTF-16 code units, strings
 * and numbers as in ECMAScript. Undefined members are omitted, as in JSON. Throws RangeError for
 * numbers without a JSON form.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new RangeError('JSON has no text for this number')
  }
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`
  let text = ''
  // The standard requires sorting by UTF-16 code units.
  for (const name of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[name]
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}
