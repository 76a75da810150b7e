/** How a command calls the API of the running service, whose certificate may be one of its own. */
import { X509Certificate } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { request as requestHttps, type RequestOptions } from 'node:https'
import { text } from 'node:stream/consumers'
import { getCACertificates } from 'node:tls'
import type { Config } from '../../platform/config/config.ts'
import { readText } from '../command.ts'

/** The origin of the API, and the certificates that are accepted there. */
export interface ServiceAddress {
  origin: string
  trust: Pick<RequestOptions, 'ca' | 'allowPartialTrustChain' | 'checkServerIdentity'>
}

/**
 * @param api origin of the API; undefined: as configured, or the configured port of this machine
 * @param authority PEM that is trusted alongside the system's
 * @throws CommandFailure if the certificate that the service shows on this machine can't be read
 */
export function serviceAddressOf(
  config: Pick<Config, 'origin' | 'tlsCertFile' | 'httpPort'>,
  api: string | undefined,
  authority: string | undefined,
): ServiceAddress {
  const named = api?.replace(/(?<!\/)\/+$/, '') ?? config.origin
  const trusted = authority === undefined ? [] : [...getCACertificates('default'), authority]
  const { tlsCertFile, httpPort } = config
  if (named !== undefined)
    return { origin: named, trust: authority === undefined ? {} : { ca: trusted } }
  if (tlsCertFile === undefined) return { origin: `http://127.0.0.1:${httpPort}`, trust: {} }
  // The certificate is for the public name of the service, and its authority may be unknown on this
  // machine. So exactly this certificate is accepted, whatever its name and authority.
  const trust = {
    ca: [
      new X509Certificate(readText('The file of MOORING_TLS_CERT_FILE', tlsCertFile)).toString(),
    ],
    allowPartialTrustChain: true,
    checkServerIdentity: () => undefined,
  }
  return { origin: `https://127.0.0.1:${httpPort}`, trust }
}

export interface ServiceResponse {
  status: number
  text: string
}

/** Far longer than the service takes for anything. */
const RESPONSE_TIMEOUT_MS = 60_000

/** Posts JSON, or reads if there is no body. Rejects if nothing comes back for `timeoutMs`. */
export async function callService(
  { origin, trust }: ServiceAddress,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: object | undefined,
  timeoutMs = RESPONSE_TIMEOUT_MS,
): Promise<ServiceResponse> {
  const url = new URL(origin + path)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const { promise, resolve, reject } = Promise.withResolvers<ServiceResponse>()
  const json = body && { 'content-type': 'application/json' }
  const method = body === undefined ? 'GET' : 'POST'
  const request = send(url, { method, headers: { ...json, ...headers }, ...trust })
  request.on('error', reject)
  request.setTimeout(timeoutMs, () => {
    request.destroy(Object.assign(new Error('no response'), { code: 'ETIMEDOUT' }))
  })
  request.on('response', (response) => {
    const { statusCode: status = 0 } = response
    text(response).then((whole) => resolve({ status, text: whole }), reject)
  })
  request.end(body && JSON.stringify(body))
  return promise
}
