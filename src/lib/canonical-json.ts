/** JSON with one spelling for each value, so that it can be hashed and compared (RFC 8785, JCS). */

/**
 * The canonical text of a JSON value: no white space, members sorted by UTF-16 code units, strings
 * and numbers as ECMAScript writes them. Members that are undefined are left out, as JSON does.
 * Throws RangeError for a number that JSON has no text for.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new RangeError('JSON has no text for this number')
  }
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`
  let text = ''
  // Strings are sorted by UTF-16 code units, as the standard wants it.
  for (const name of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[name]
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}
