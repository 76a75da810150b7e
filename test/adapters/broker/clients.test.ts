/** Common clients on each broker: they connect, publish, are refused and are disconnected. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { until } from '../../support/until.ts'
import { embeddedEnvironment } from './every/embedded-environment.ts'
import { mosquittoEnvironment } from './every/mosquitto-environment.ts'
import type { BrokerEnvironment } from './every/environment.ts'
import { rabbitmqEnvironment } from './every/rabbitmq-environment.ts'
import { connected, gets, publish, refusal, subscribe, type Version } from './mqtt-clients.ts'
import { DYNAMIC_SECURITY, MOSQUITTO, MOSQUITTO_CTRL } from './start-mosquitto.ts'
import { lacking, type Program, startProgram } from './start-program.ts'
import { rabbitmqServer } from './start-rabbitmq.ts'
import type { Credential } from './test-authority.ts'

const PUBLISH = '/usr/bin/mosquitto_pub'
const SUBSCRIBE = '/usr/bin/mosquitto_sub'
const BY_LINE = '/usr/bin/stdbuf'
const PYTHON = '/usr/bin/python3'
const PAHO = '/usr/lib/python3/dist-packages/paho/mqtt/client.py'

/** Subscribes, says what it gets line by line, and ends with its connection. */
const PAHO_SUBSCRIBER = `
import sys
import paho.mqtt.client as mqtt
port, user, password, topic = sys.argv[1:]
client = mqtt.Client(client_id=user)
client.username_pw_set(user, password)
def connected(client, data, flags, code):
    print('connected', code, flush=True)
    if code == 0:
        client.subscribe(topic, 1)
    else:
        sys.exit(3)
client.on_connect = connected
client.on_subscribe = lambda *rest: print('subscribed', flush=True)
client.on_message = lambda c, d, m: print('got', m.topic, m.payload.decode(), flush=True)
def ended(client, data, code):
    print('ended', flush=True)
    sys.exit(0)
client.on_disconnect = ended
client.connect('127.0.0.1', int(port))
client.loop_forever(retry_first_connection=False)
`

interface Subscriber {
  version: Version
  start(place: BrokerEnvironment, credential: Credential, topic: string): Program
  /** The line that it writes when it has subscribed. */
  ready: RegExp
  lacks: string | false
}

const login = ({ port }: BrokerEnvironment, { username, password }: Credential): string[] => {
  return ['-h', '127.0.0.1', '-p', String(port), '-u', username, '-P', password, '-i', username]
}

const SUBSCRIBERS: Readonly<Record<string, Subscriber>> = {
  mosquitto_sub: {
    version: 4,
    start(place, credential, topic) {
      const rest = ['-q', '1', '-d', '-v', '-t', topic]
      // Into a pipe it would write nothing before it has written a lot.
      return startProgram(BY_LINE, ['-oL', SUBSCRIBE, ...login(place, credential), ...rest])
    },
    ready: /Subscribed/,
    lacks: lacking(SUBSCRIBE, PUBLISH, BY_LINE),
  },
  'python3-paho-mqtt': {
    version: 4,
    start: (place, { username, password }, topic) =>
      startProgram(PYTHON, ['-c', PAHO_SUBSCRIBER, String(place.port), username, password, topic]),
    ready: /subscribed/,
    lacks: lacking(PYTHON, PAHO),
  },
}

async function writes(program: Program, pattern: RegExp): Promise<void> {
  await until(`${String(pattern)} of a client`, () => {
    const isOver = program.child.exitCode !== null
    if (pattern.test(program.output())) return true
    assert.equal(isOver, false, program.output())
    return false
  })
}

async function ends(program: Program): Promise<void> {
  await until('the end of a client', () => program.child.exitCode !== null)
}

/** Publishes by the program of that name. @returns whether it was let in. */
async function publishes(
  place: BrokerEnvironment,
  credential: Credential,
  topic: string,
): Promise<boolean> {
  const rest = ['-q', '1', '-t', topic, '-m', 'by mosquitto_pub']
  try {
    await promisify(execFile)(PUBLISH, [...login(place, credential), ...rest], { timeout: 120_000 })
    return true
  } catch {
    return false
  }
}

async function worksWith(
  t: TestContext,
  place: BrokerEnvironment,
  subscriber: Subscriber,
): Promise<void> {
  const [credential, sender] = [await place.add('ws_client'), await place.add('ws_client')]
  const topic = `ws_client/${credential.username}`
  const program = subscriber.start(place, credential, topic)
  t.after(() => program.stop())
  await writes(program, subscriber.ready)
  assert.equal(await publishes(place, sender, topic), true)
  await writes(program, new RegExp(`${topic} by mosquitto_pub`))
  assert.equal(await publishes(place, { ...sender, password: 'wrong' }, topic), false)
  await place.suspend(credential)
  // mosquitto_sub tries to come back, and ends because it is refused.
  await ends(program)
  const again = subscriber.start(place, credential, topic)
  t.after(() => again.stop())
  await ends(again)
  assert.doesNotMatch(again.output(), subscriber.ready)
  assert.equal(await publishes(place, credential, topic), false)
}

const PLACES = {
  'the embedded broker': { start: embeddedEnvironment, lacks: false },
  Mosquitto: {
    start: mosquittoEnvironment,
    lacks: lacking(MOSQUITTO, MOSQUITTO_CTRL, DYNAMIC_SECURITY),
  },
  RabbitMQ: { start: rabbitmqEnvironment, lacks: lacking(rabbitmqServer()) },
} as const

for (const [name, { start, lacks }] of Object.entries(PLACES)) {
  describe(`on ${name}`, { skip: lacks }, () => {
    let place: BrokerEnvironment
    before(async () => (place = await start()))
    after(() => place?.stop())

    for (const [client, subscriber] of Object.entries(SUBSCRIBERS)) {
      const options = { skip: subscriber.lacks || lacking(PUBLISH) }
      it(`${client} works, is refused, and is disconnected`, options, async (t) => {
        await worksWith(t, place, subscriber)
      })
    }

    it('MQTT.js works, is refused, and is disconnected', async (t) => {
      const credential = await place.add('ws_client')
      const watched = await connected(t, place.port, credential, { protocolVersion: 4 })
      await subscribe(watched, 'ws_client/js', 1)
      await publish(watched, 'ws_client/js', { qos: 1 }, 'here')
      await gets(watched, 'ws_client/js=here')
      await place.suspend(credential)
      const code = await refusal(t, place.port, credential, { protocolVersion: 4 })
      assert.ok(code === 4 || code === 5)
      assert.equal(watched.closed, true)
    })
  })
}
