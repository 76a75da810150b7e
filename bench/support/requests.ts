/** Complete HTTP/1.1 requests as text, for load on plain sockets. */

/** Stands in a body for a number of twelve digits that is new in each request. */
export const NEW_NUMBER = '{number}'
export const NUMBER_DIGITS = 12

const head = (method: string, path: string, headers: Record<string, string>): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n')

export const getRequest = (path: string, headers: Record<string, string> = {}): string =>
  head('GET', path, headers)

export function postRequest(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): string {
  const text = JSON.stringify(body)
  const length = Buffer.byteLength(text.replaceAll(NEW_NUMBER, '0'.repeat(NUMBER_DIGITS)))
  const described = {
    ...headers,
    'content-type': 'application/json',
    'content-length': String(length),
  }
  return head('POST', path, described) + text
}

const HEADER_END = Buffer.from('\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i

export interface HttpResponse {
  status: number
  /** Bytes of headers and body together. */
  length: number
}

/** The response at the beginning of the bytes, once it is whole. */
export function readResponse(bytes: Buffer): HttpResponse | undefined {
  const end = bytes.indexOf(HEADER_END)
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  const length = end + HEADER_END.length + Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0)
  return bytes.length < length ? undefined : { status: Number(head.slice(9, 12)), length }
}
