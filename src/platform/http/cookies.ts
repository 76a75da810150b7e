/**
 * Cookies of the console: readable by the service only, sent to the operations of the console only,
 * and only by pages of the same site.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface Cookies {
  /** The value of a cookie; undefined if there is none, or more than one of the name. */
  read(name: string): string | undefined
  /**
   * Sets a cookie in the response, whatever its status. The value must be a token (RFC 9110).
   * @param maxAgeSeconds null: until the browser is closed
   */
  set(name: string, value: string, maxAgeSeconds: number | null): void
  clear(name: string): void
}

/** Values of a name. Another host of the same domain can add one, so two of them prove nothing. */
const valuesOf = (header: string, name: string): string[] =>
  header.split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : []
  })

/** @param path to which browsers send the cookies, and below it */
export function cookiesOf(request: FastifyRequest, reply: FastifyReply, path: string): Cookies {
  const isSecure = request.protocol === 'https'
  // Browsers accept this prefix over HTTPS only, so plain HTTP cannot replace such a cookie.
  const fullName = (name: string): string => (isSecure ? `__Secure-${name}` : name)
  const put = (name: string, value: string, lifetime: string): void => {
    const attributes = `Path=${path}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
    void reply.header('set-cookie', `${fullName(name)}=${value}; ${attributes}${lifetime}`)
  }
  return {
    read(name) {
      const [value, ...others] = valuesOf(request.headers.cookie ?? '', fullName(name))
      return others.length > 0 || value === '' ? undefined : value
    },
    set: (name, value, maxAgeSeconds) =>
      put(name, value, maxAgeSeconds === null ? '' : `; Max-Age=${maxAgeSeconds}`),
    clear: (name) => put(name, '', '; Max-Age=0'),
  }
}
