/** Domains with certificates, and TLS clients that request them by name. */
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import type { Environment } from '../../src/platform/config/config.ts'
import { formatId, newUuid } from '../../src/platform/lib/ids.ts'
import type { TestApp } from './app.ts'
import { type Authority, makeAuthority } from './certificates.ts'

export interface TestDomain {
  uuid: string
  name: string
  /** Path of its certificate, below `/api/v1`. */
  path: string
}

/** A domain of the seeded workspace, verified by default. */
export async function addDomain(
  { database, seed }: Pick<TestApp, 'database' | 'seed'>,
  name: string,
  status = 'verified',
): Promise<TestDomain> {
  const uuid = newUuid()
  await database.pool.query(
    `INSERT INTO domains (workspace_id, id, name, purpose, value, status, created_by)
     VALUES ($1, $2, $3, 'api', 'x', $4, 'seed')`,
    [seed.uuid, uuid, name, status],
  )
  const path = `/workspaces/${seed.id}/domains/${formatId('dom', uuid)}/certificate`
  return { uuid, name, path }
}

/** The files with which a service ends TLS itself, for `127.0.0.1` and `localhost`. */
export async function tlsEnvironment(t: {
  after: (close: () => Promise<void>) => void
}): Promise<{ environment: Environment; authority: Authority }> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-tls-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const authority = makeAuthority('Usual authority')
  const { cert, key } = authority.issue('127.0.0.1', 'usual.example')
  await writeFile(join(folder, 'cert.pem'), cert)
  await writeFile(join(folder, 'key.pem'), key)
  const environment = {
    MOORING_TLS_CERT_FILE: join(folder, 'cert.pem'),
    MOORING_TLS_KEY_FILE: join(folder, 'key.pem'),
    MOORING_MQTT_TLS_PORT: '0',
    MOORING_MQTT_WSS_PORT: '0',
  }
  return { environment, authority }
}

/** The ports that a service ends TLS at: of the API, of MQTT, and of MQTT over WebSocket. */
export const tlsPortsOf = ({ origin, services, app }: TestApp): number[] => [
  Number(new URL(origin).port),
  services.mqttEndpoint().port,
  app.ports.wss ?? 0,
]

/** A TLS connection by name; whatever certificate is shown is taken. */
export async function shake(
  port: number,
  servername: string,
  options: ConnectionOptions = {},
): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername,
    rejectUnauthorized: false,
    ...options,
  })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  return socket
}

/** SHA-256 of the certificate that is shown for a name, as the API writes it. */
export async function fingerprintAt(port: number, servername: string): Promise<string> {
  const socket = await shake(port, servername)
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256.replaceAll(':', '').toLowerCase()
}
