/** The ways in which a request can carry a credential, those included that no operation takes. */
import type { InjectOptions } from 'fastify'
import type { Carrier } from '../../src/platform/access/principal.ts'

/** A way to send a credential; `carrier` is how the gate is to understand it, if at all. */
export interface Transport {
  name: string
  /** `wrong-scheme`: it is in a header for credentials, but not as one. */
  carrier: Carrier | 'wrong-scheme' | 'none'
  put(request: InjectOptions, text: string): void
}

const header =
  (name: string, value: (text: string) => string) =>
  (request: InjectOptions, text: string): void => {
    request.headers = { ...request.headers, [name]: value(text) }
  }
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const addQuery =
  (name: string) =>
  (request: InjectOptions, text: string): void => {
    request.url = `${request.url as string}?${name}=${encodeURIComponent(text)}`
  }

export const bearer: Transport = {
  name: 'Bearer',
  carrier: 'bearer',
  put: header('authorization', (text) => `Bearer ${text}`),
}
export const transports: readonly Transport[] = [
  bearer,
  {
    name: 'bearer in small letters',
    carrier: 'bearer',
    put: header('authorization', (text) => `bearer ${text}`),
  },
  {
    name: 'Authorization as it is',
    carrier: 'wrong-scheme',
    put: header('authorization', (text) => text),
  },
  {
    name: 'the user name of Basic',
    carrier: 'wrong-scheme',
    put: header('authorization', (text) => `Basic ${base64(`${text}:`)}`),
  },
  {
    name: 'the password of Basic',
    carrier: 'wrong-scheme',
    put: header('authorization', (text) => `Basic ${base64(`x:${text}`)}`),
  },
  { name: 'X-API-Key', carrier: 'x-api-key', put: header('x-api-key', (text) => text) },
  {
    name: 'service-auth-code',
    carrier: 'service-auth-code',
    put: header('service-auth-code', (text) => text),
  },
  { name: 'the query api_key', carrier: 'none', put: addQuery('api_key') },
  { name: 'the query access_token', carrier: 'none', put: addQuery('access_token') },
  { name: 'a cookie', carrier: 'none', put: header('cookie', (text) => `access_token=${text}`) },
  {
    name: 'a member of the body',
    carrier: 'none',
    put(request, text) {
      request.payload = JSON.stringify({ access_token: text, api_key: text }).slice(0, -1)
    },
  },
]
