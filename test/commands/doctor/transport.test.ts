/**
 * The findings of an examination about TLS: the trusted issuer, the validity, and the version
 * spoken.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { suite, test, type TestContext } from 'node:test'
import { createServer, type TlsOptions } from 'node:tls'
import { examine, type ExaminedBroker } from '../../../src/commands/doctor/probes/examination.ts'
import { transportProbes } from '../../../src/commands/doctor/probes/transport-probes.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { defer } from '../../support/cleanup.ts'
import { startCareless } from './careless-broker.ts'

const authority = makeAuthority()

async function startTls(t: TestContext, options: TlsOptions): Promise<number> {
  const server = createServer(options, (socket) => socket.on('error', () => {}))
  // A client that goes away within the handshake is no failure of the test.
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  defer(t, () => server.close())
  return (server.address() as AddressInfo).port
}

async function findings(examined: ExaminedBroker): Promise<Record<string, string>> {
  const results = await examine(examined, transportProbes, () => {})
  return Object.fromEntries(results.map(({ id, verdict }) => [id, verdict]))
}

suite('an examination of TLS', () => {
  const at = async (t: TestContext, options: TlsOptions, ca?: string): Promise<ExaminedBroker> => {
    const url = new URL(`mqtts://127.0.0.1:${await startTls(t, options)}`)
    return { ...(await startCareless(t)), url, ca }
  }

  test('passes a certificate for the name, from an authority that is trusted', async (t) => {
    const examined = await at(t, authority.issue('127.0.0.1'), authority.cert)
    const found = await findings(examined)
    assert.deepEqual(found, { encryption: 'pass', tls_certificate: 'pass', tls_versions: 'pass' })
  })

  test('fails for a self-signed certificate, and for one of another name', async (t) => {
    const unknown = await findings(await at(t, authority.issue('127.0.0.1')))
    assert.equal(unknown.tls_certificate, 'fail')
    const other = await findings(await at(t, authority.issue('127.0.0.2'), authority.cert))
    assert.equal(other.tls_certificate, 'fail')
  })

  test('fails a server that speaks TLS 1.1', async (t) => {
    const old = { minVersion: 'TLSv1', ciphers: 'ALL@SECLEVEL=0' } as const
    const examined = await at(t, { ...authority.issue('127.0.0.1'), ...old }, authority.cert)
    assert.equal((await findings(examined)).tls_versions, 'fail')
  })

  test('fails secrets in the clear, except on the loopback address', async (t) => {
    const examined = await startCareless(t)
    assert.equal((await findings(examined)).encryption, 'pass')
    const away = { ...examined, url: new URL('mqtt://broker.example.com:1883') }
    assert.equal((await findings(away)).encryption, 'fail')
  })
})
