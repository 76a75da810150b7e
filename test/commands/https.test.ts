/** HTTPS in the service itself, and the warning where there is neither it nor a proxy. */
import assert from 'node:assert/strict'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { request } from 'node:https'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { warningsOf } from '../../src/commands/serve/preflight.ts'
import { type Environment, readConfig } from '../../src/platform/config/config.ts'
import { makeAuthority } from '../support/certificates.ts'
import { newDataDir, preparedDataDir, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** The status of a GET over TLS that trusts one authority. */
const get = (url: string, ca: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const call = request(url, { ca }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    call.on('error', reject)
    call.end()
  })

test('the API is served over TLS with the given certificate', async (t) => {
  const dataDir = await preparedDataDir(t)
  const authority = makeAuthority()
  const { cert, key } = authority.issue('127.0.0.1')
  const folder = dirname(dataDir)
  await writeFile(join(folder, 'cert.pem'), cert)
  await writeFile(join(folder, 'key.pem'), key)
  const service = await startService(t, dataDir, {
    environment: {
      MOORING_TLS_CERT_FILE: join(folder, 'cert.pem'),
      MOORING_TLS_KEY_FILE: join(folder, 'key.pem'),
      MOORING_HTTP_HOST: '0.0.0.0',
    },
  })
  assert.match(service.origin, /^https:\/\/127\.0\.0\.1:/)
  const url = `${service.origin}/api/v1/openapi.json`
  assert.equal(await get(url, authority.cert), 200)
  await assert.rejects(get(url, makeAuthority().cert))
  assert.equal(service.output.stderr, '', 'TLS needs no warning')
})

test('a renewed certificate is shown by the API and by MQTT without a restart', async (t) => {
  const dataDir = await preparedDataDir(t)
  const authority = makeAuthority()
  const folder = dirname(dataDir)
  const write = async ({ cert, key }: { cert: string; key: string }): Promise<void> => {
    await writeFile(join(folder, 'key.pem'), key)
    await writeFile(join(folder, 'cert.pem'), cert)
  }
  await write(authority.issue('127.0.0.1'))
  const service = await startService(t, dataDir, {
    environment: {
      MOORING_TLS_CERT_FILE: join(folder, 'cert.pem'),
      MOORING_TLS_KEY_FILE: join(folder, 'key.pem'),
      MOORING_MQTT_TLS_PORT: '0',
    },
  })
  const namesAt = async (port: number): Promise<string> => {
    const socket = connect({ host: '127.0.0.1', port, ca: authority.cert })
    await once(socket, 'secureConnect')
    const names = socket.getPeerCertificate().subjectaltname ?? ''
    socket.destroy()
    return names
  }
  const ports = [Number(new URL(service.origin).port), service.mqtt.port]
  for (const port of ports) assert.doesNotMatch(await namesAt(port), /renewed/)
  await writeFile(join(folder, 'cert.pem'), authority.issue('127.0.0.1').cert)
  await until('the wrong certificate is logged', () => /certificate/.test(service.output.stderr))
  for (const port of ports) await namesAt(port)
  await write(authority.issue('127.0.0.1', 'renewed.example'))
  for (const port of ports) {
    await until('it is shown', async () => /renewed/.test(await namesAt(port)))
  }
})

test('plain HTTP beyond loopback is warned of, unless a proxy is named that ends TLS', () => {
  const warnings = (environment: Environment) => warningsOf(readConfig(environment))
  const open = { MOORING_HTTP_HOST: '0.0.0.0' }
  assert.match(warnings(open).join('\n'), /^warning: the API listens on 0\.0\.0\.0 without TLS/)
  assert.deepEqual(warnings({ ...open, MOORING_TRUSTED_PROXIES: '10.0.0.0/8' }), [])
  for (const host of ['127.0.0.1', '::1', 'localhost']) {
    assert.deepEqual(warnings({ MOORING_HTTP_HOST: host }), [])
  }
})

test('a data folder that others can write to is warned of', async (t) => {
  const config = readConfig({ MOORING_DATA_DIR: await newDataDir(t) })
  await mkdir(config.dataDir, { mode: 0o700 })
  assert.deepEqual(warningsOf(config), [])
  await chmod(config.dataDir, 0o777)
  assert.match(warningsOf(config).join('\n'), /^warning: other users can write to the data folder/)
})
