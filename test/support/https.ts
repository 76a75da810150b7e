/** A service with a certificate, and requests over TLS that name whatever host a test wants. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CallOptions, CallResult } from './app.ts'
import { makeAuthority } from './certificates.ts'
import { reach } from './provoked-failures.ts'

export interface NamedCall extends CallOptions {
  /** `Host` of the request; by default the address and port that are called. */
  host?: string
  /** The server name of the TLS handshake (SNI); by default none. */
  serverName?: string
}

/** The variables of a service that ends TLS, and what its clients trust. */
export function tlsEnvironment(): { environment: Record<string, string>; ca: string } {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-tls-'))
  const authority = makeAuthority()
  const { cert, key } = authority.issue('127.0.0.1')
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
  return {
    environment: { MOORING_TLS_CERT_FILE: certFile, MOORING_TLS_KEY_FILE: keyFile },
    ca: authority.cert,
  }
}

async function readResponse(
  method: string,
  path: string,
  response: IncomingMessage,
): Promise<CallResult> {
  let text = ''
  for await (const chunk of response) text += String(chunk)
  const type = response.headers['content-type'] ?? ''
  const body = /[/+]json/.test(type) && text !== '' ? JSON.parse(text) : undefined
  if (type.startsWith('application/problem+json')) {
    reach(method, path, (body as { code: string }).code)
  }
  const headers = response.headers as Record<string, string>
  const cookies = response.headers['set-cookie'] ?? []
  return { status: response.statusCode ?? 0, headers, body, text, cookies }
}

/** Each call has a connection of its own, since what is named in the handshake belongs to it. */
export async function callHttps(
  url: string,
  ca: string,
  method: string,
  { as = {}, headers = {}, body, host, serverName = '' }: NamedCall = {},
): Promise<CallResult> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const agent = new Agent({ keepAlive: false, maxCachedSessions: 0 })
  const options = {
    method,
    agent,
    ca,
    servername: serverName,
    checkServerIdentity: () => undefined,
    headers: {
      ...(payload !== undefined && {
        'content-type': 'application/json',
        // Node sends none with DELETE.
        'content-length': Buffer.byteLength(payload),
      }),
      ...as,
      ...headers,
      ...(host !== undefined && { host }),
    },
  }
  const call = request(url, options, resolve)
  call.on('error', reject)
  call.end(payload)
  return readResponse(method, new URL(url).pathname, await promise)
}
