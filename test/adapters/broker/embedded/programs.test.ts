/** The clients of Debian on the embedded broker: in each version of MQTT, through each listener. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { EmbeddedBroker } from '../../../../src/adapters/broker/embedded/broker.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import { until } from '../../../support/until.ts'
import { lacking, type Program, startProgram } from '../start-program.ts'
import { type Credential, TestAuthority } from '../test-authority.ts'

const PUBLISH = '/usr/bin/mosquitto_pub'
const SUBSCRIBE = '/usr/bin/mosquitto_sub'
const BY_LINE = '/usr/bin/stdbuf'
const PYTHON = '/usr/bin/python3'
const PAHO = '/usr/lib/python3/dist-packages/paho/mqtt/client.py'

/** The names of mosquitto's clients for each version, with the numbers of paho. */
const VERSIONS = { mqttv31: 3, mqttv311: 4, mqttv5: 5 } as const
type VersionName = keyof typeof VERSIONS

type Listener = 'tcp' | 'tls' | 'ws' | 'wss'

interface Running {
  broker: EmbeddedBroker
  authority: TestAuthority
  /** The file of the certificate of the authority that signed that of the broker. */
  caFile: string
}

/** Subscribes, publishes to itself with each QoS, says what it gets, and disconnects. */
const PAHO_CLIENT = `
import sys
import paho.mqtt.client as mqtt
version, listener, port, ca, user, password, topic = sys.argv[1:]
transport = 'websockets' if listener.startswith('ws') else 'tcp'
client = mqtt.Client(client_id=user, protocol=int(version), transport=transport)
client.username_pw_set(user, password)
if transport == 'websockets':
    client.ws_set_options(path='/mqtt')
if listener in ('tls', 'wss'):
    client.tls_set(ca_certs=ca)
left = [0, 1, 2]
def connected(client, data, flags, code, properties=None):
    print('connected', int(getattr(code, 'value', code)), flush=True)
    if code != 0:
        client.disconnect()
        return
    client.subscribe(topic + '/#', 2)
def subscribed(client, data, mid, codes, properties=None):
    for qos in (0, 1, 2):
        client.publish(topic + '/' + str(qos), 'by paho', qos)
def message(client, data, m):
    print('got', m.topic, m.qos, m.payload.decode(), flush=True)
    left.remove(m.qos)
    if not left:
        client.disconnect()
client.on_connect = connected
client.on_subscribe = subscribed
client.on_message = message
client.connect('127.0.0.1', int(port), 30)
client.loop_forever(retry_first_connection=False)
print('ended', flush=True)
`

async function ended(t: TestContext, program: Program): Promise<string> {
  t.after(() => program.stop())
  if (program.child.exitCode === null) await once(program.child, 'close')
  return program.output()
}

const login = ({ username, password }: Credential): string[] => {
  return ['-u', username, '-P', password, '-i', username]
}

function addressOf(
  { broker, caFile }: Running,
  listener: Listener,
  version: VersionName,
): string[] {
  const secure = listener === 'tls' ? ['--cafile', caFile] : []
  const port = String(broker.ports[listener])
  return ['-V', version, '-h', '127.0.0.1', '-p', port, ...secure]
}

async function worksWithMosquitto(
  t: TestContext,
  running: Running,
  [version, listener]: [VersionName, Listener],
): Promise<void> {
  const { authority } = running
  const [reader, writer] = [authority.add('ws_program'), authority.add('ws_program')]
  const topic = `ws_program/${reader.username}`
  const address = addressOf(running, listener, version)
  const rest = ['-q', '2', '-C', '3', '-d', '-F', 'got %t %q %p', '-t', `${topic}/#`]
  const command = ['-oL', SUBSCRIBE, ...address, ...login(reader), ...rest]
  const subscriber = startProgram(BY_LINE, command)
  t.after(() => subscriber.stop())
  await until('a SUBACK', () => subscriber.output().includes('Subscribed'))
  for (const qos of ['0', '1', '2']) {
    const message = ['-q', qos, '-t', `${topic}/${qos}`, '-m', 'by mosquitto']
    const publisher = startProgram(PUBLISH, [...address, ...login(writer), ...message])
    await ended(t, publisher)
    assert.equal(publisher.child.exitCode, 0, publisher.output())
  }
  for (const qos of ['0', '1', '2']) {
    const got = `got ${topic}/${qos} ${qos} by mosquitto`
    await until(got, () => subscriber.output().includes(got))
  }
  await ended(t, subscriber)
  const wrong = { ...writer, password: 'wrong' }
  const refused = startProgram(PUBLISH, [...address, ...login(wrong), '-t', topic, '-m', 'x'])
  await ended(t, refused)
  assert.notEqual(refused.child.exitCode, 0)
}

async function worksWithPaho(
  t: TestContext,
  { broker, authority, caFile }: Running,
  [version, listener]: [VersionName, Listener],
): Promise<void> {
  const { username, password } = authority.add('ws_program')
  const topic = `ws_program/${username}`
  const run = (secret: string): Promise<string> => {
    const address = [String(VERSIONS[version]), listener, String(broker.ports[listener]), caFile]
    const args = ['-c', PAHO_CLIENT, ...address, username, secret, topic]
    return ended(t, startProgram(PYTHON, args))
  }
  const output = await run(password)
  for (const qos of [0, 1, 2]) {
    assert.ok(output.includes(`got ${topic}/${qos} ${qos} by paho`), output)
  }
  assert.match(output, /^connected 0$[^]*^ended$/m)
  const code = version === 'mqttv5' ? 0x86 : 4
  assert.match(await run('wrong'), new RegExp(`^connected ${code}$`, 'm'))
}

const CLIENTS = {
  // Debian builds them without WebSocket.
  'mosquitto_pub and mosquitto_sub': {
    works: worksWithMosquitto,
    listeners: ['tcp', 'tls'],
    programs: [PUBLISH, SUBSCRIBE, BY_LINE],
  },
  'python3-paho-mqtt': {
    works: worksWithPaho,
    listeners: ['tcp', 'tls', 'ws', 'wss'],
    programs: [PYTHON, PAHO],
  },
} as const

describe('on the embedded broker', { concurrency: 2 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-clients-'))
  const running = { authority: new TestAuthority(), caFile: join(folder, 'ca.pem') } as Running
  before(async () => {
    const certificates = makeAuthority()
    writeFileSync(running.caFile, certificates.cert)
    const ignore = (): void => {}
    running.broker = new EmbeddedBroker({
      host: '127.0.0.1',
      ports: { tcp: 0, tls: 0, ws: 0, wss: 0 },
      tls: certificates.issue('127.0.0.1'),
      log: { warn: ignore, error: ignore },
    })
    await running.broker.start(running.authority)
  })
  after(async () => {
    await running.broker?.stop()
    rmSync(folder, { recursive: true })
  })

  for (const [name, { works, listeners, programs }] of Object.entries(CLIENTS)) {
    for (const version of Object.keys(VERSIONS) as VersionName[]) {
      for (const listener of listeners) {
        it(`${name} speaks ${version} over ${listener}`, { skip: lacking(...programs) }, (t) =>
          works(t, running, [version, listener]),
        )
      }
    }
  }
})
