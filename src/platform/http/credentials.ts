/** Extracts the single credential of a request. */
import type { Carrier } from '../access/principal.ts'
import { Failure } from '../errors/errors.ts'

export interface Presented {
  carrier: Carrier
  value: string
}

const HEADERS: Readonly<Record<string, Carrier>> = {
  authorization: 'bearer',
  'x-api-key': 'x-api-key',
  'service-auth-code': 'service-auth-code',
}
const LENGTHS = new Set(Object.keys(HEADERS).map((name) => name.length))

const BEARER = /^bearer +([^\s]+)$/i

/**
 * Reads the raw headers: Node keeps only the first `Authorization` and joins repeated other
 * headers, so both could hide a second credential that a proxy might prefer.
 * @returns undefined if there is none; an empty value if it is malformed
 * @throws Failure ambiguous_credentials for more than one credential header
 */
export function presentedCredential(rawHeaders: readonly string[]): Presented | undefined {
  let found: Presented | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (!LENGTHS.has(name.length)) continue
    const carrier = HEADERS[name.toLowerCase()]
    if (carrier === undefined) continue
    if (found !== undefined) throw new Failure('ambiguous_credentials')
    const raw = rawHeaders[at + 1] as string
    found = { carrier, value: carrier === 'bearer' ? (BEARER.exec(raw)?.[1] ?? '') : raw }
  }
  return found
}
