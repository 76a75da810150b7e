/**
 * Pebble, a small real ACME server that issues untrusted certificates, on free ports of loopback.
 * It queries the test's own name server, and HTTP on a port that the test chooses.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Environment } from '../../src/platform/config/config.ts'
import { makeAuthority } from './certificates.ts'
import { defer } from './cleanup.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

const PROGRAM = '/usr/bin/pebble'

/** Why tests with it are left out; false: they are not. */
export const withoutPebble: string | false =
  process.env.MOORING_TEST_ACME === '1'
    ? false
    : 'certificates are ordered from a real ACME server with MOORING_TEST_ACME=1'

export interface Pebble {
  /** The settings with which a service orders from it, and answers it on `httpPort`. */
  environment: Environment
}

const responses = (port: number, ca: string): Promise<boolean> =>
  new Promise((resolve) => {
    const call = request({ host: '127.0.0.1', port, path: '/dir', ca }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    call.on('error', () => resolve(false))
    call.end()
  })

export interface PebbleOptions {
  nameServer: string
  /** Percentage of good nonces that it refuses. */
  badNonces?: number
  /** Whether it takes up to three seconds to look for a proof. */
  slow?: boolean
}

export async function startPebble(
  t: Pick<TestContext, 'after'>,
  { nameServer, badNonces = 0, slow = false }: PebbleOptions,
): Promise<Pebble> {
  if (!existsSync(PROGRAM)) throw new Error(`MOORING_TEST_ACME=1 demands ${PROGRAM}`)
  const folder = await mkdtemp(join(tmpdir(), 'mooring-pebble-'))
  defer(t, () => rm(folder, { recursive: true, force: true }))
  const authority = makeAuthority('Authority of pebble')
  const { cert, key } = authority.issue('127.0.0.1')
  const [port, management, httpPort] = [await freePort(), await freePort(), await freePort()]
  const file = (name: string): string => join(folder, name)
  await writeFile(file('cert.pem'), cert)
  await writeFile(file('key.pem'), key)
  await writeFile(file('ca.pem'), authority.cert)
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: file('cert.pem'),
    privateKey: file('key.pem'),
    httpPort,
    tlsPort: httpPort,
  }
  await writeFile(file('config.json'), JSON.stringify({ pebble }))
  const child = spawn(PROGRAM, ['-config', file('config.json'), '-dnsserver', nameServer], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      ...(slow ? { PEBBLE_VA_SLEEPTIME: '3' } : { PEBBLE_VA_NOSLEEP: '1' }),
      PEBBLE_AUTHZREUSE: '0',
      PEBBLE_WFE_NONCEREJECT: String(badNonces),
    },
  })
  const ended = once(child, 'exit')
  defer(t, async () => {
    child.kill('SIGKILL')
    await ended
  })
  await until('pebble answers', () => responses(port, authority.cert), 20_000)
  return {
    environment: {
      MOORING_ACME_DIRECTORY_URL: `https://127.0.0.1:${port}/dir`,
      MOORING_ACME_CONTACT: 'ops@example.com',
      MOORING_ACME_CA_FILE: file('ca.pem'),
      MOORING_ACME_HTTP_PORT: String(httpPort),
    },
  }
}
