/** The brokers file: its valid contents, and that a wrong version never replaces a good one. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { openBrokersFile } from '../../../../src/app/brokers-file.ts'
import { ConfigError } from '../../../../src/platform/config/config.ts'

const folder = await mkdtemp(join(tmpdir(), 'mooring-brokers-'))
after(() => rm(folder, { recursive: true }))

const newSecret = (): string => randomBytes(24).toString('base64url')

interface Received {
  level: string
  message: string
  fields: unknown
}

async function write(file: string, content: unknown): Promise<void> {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  await writeFile(`${file}.new`, text, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

async function open(content: unknown) {
  const file = join(folder, `${newSecret()}.json`)
  await write(file, content)
  const received: Received[] = []
  const log = (level: string, message: string, fields?: unknown): void =>
    void received.push({ level, message, fields })
  return { file, received, brokers: openBrokersFile(file, log) }
}

const entry = (name: string, more: object = {}) => ({
  name,
  kind: 'emqx',
  hook_secrets: [newSecret()],
  ...more,
})

const full = entry('fleet', {
  admin: { url: 'https://emqx:18083/api/v5', username: 'key', password: 'word' },
  mqtt: { url: 'mqtts://emqx:8883', username: 'mooring', password: 'word after word, word' },
  endpoints: [
    { protocol: 'mqtts', host: 'mqtt.example.com', port: 8883, default: true },
    { protocol: 'wss', host: 'mqtt.example.com', port: 8084, path: '/mqtt' },
  ],
})

const secret = newSecret()
const login = { username: 'key', password: secret }
const wrong: readonly (readonly [string, unknown, RegExp])[] = [
  ['no JSON', '{"brokers":[', /MOORING_BROKERS_FILE is not JSON/],
  ['an array', [], /MOORING_BROKERS_FILE is invalid/],
  ['a member that nobody knows', { brokers: [entry('a', { hook_secret: secret })] }, /hook_secret/],
  [
    'a kind that nobody knows',
    { brokers: [entry('a', { kind: 'activemq' })] },
    /\/brokers\/0\/kind/,
  ],
  [
    'a short secret',
    { brokers: [entry('a', { hook_secrets: ['short'] })] },
    /\/brokers\/0\/hook_secrets\/0 must be 32 to 256 letters/,
  ],
  [
    'a name that no path can hold',
    { brokers: [entry('a/b')] },
    /\/brokers\/0\/name must be 1 to 40 lower-case letters/,
  ],
  ['a name twice', { brokers: [entry('a'), entry('a')] }, /name a twice/],
  ['the name of the embedded one', { brokers: [entry('embedded')] }, /reserved/],
  [
    'one secret for two brokers',
    { brokers: ['a', 'b'].map((name) => entry(name, { hook_secrets: [secret] })) },
    /two brokers the same hook secret/,
  ],
  [
    'four secrets',
    { brokers: [entry('a', { hook_secrets: [1, 2, 3, 4].map(newSecret) })] },
    /hook_secrets must have at most 3 items/,
  ],
  [
    'a password in a URL',
    {
      brokers: [entry('a', { mqtt: { url: 'mqtt://u:p@h', username: 'u', password: secret } })],
    },
    /\/brokers\/0\/mqtt\/url must be a scheme, a host/,
  ],
  [
    'two defaults',
    { brokers: [full, { ...full, name: 'b', hook_secrets: [newSecret()] }] },
    /more than one endpoint/,
  ],
  [
    'an authority that is not there, for its administration',
    { brokers: [entry('a', { admin: { ...login, url: 'https://h', ca_file: '/no/ca.pem' } })] },
    /gives a a ca_file that cannot be read/,
  ],
  [
    'an authority that is not there, for the service',
    { brokers: [entry('a', { mqtt: { ...login, url: 'mqtts://h', ca_file: '/no/ca.pem' } })] },
    /gives a a ca_file that cannot be read/,
  ],
  [
    'a port that no URL has',
    { brokers: [entry('a', { admin: { ...login, url: 'https://h:99999' } })] },
    /gives a an invalid URL/,
  ],
  [
    'an EMQX that would be administered by MQTT',
    { brokers: [entry('a', { admin: { ...login, url: 'mqtt://h' } })] },
    /not administered by/,
  ],
  [
    'a dynamic security that nobody can configure',
    { brokers: [{ name: 'a', kind: 'mosquitto-dynsec' }] },
    /gives a no admin/,
  ],
  [
    'hooks of a dynamic security',
    { brokers: [entry('a', { kind: 'mosquitto-dynsec', admin: { ...login, url: 'mqtt://h' } })] },
    /calls no hooks/,
  ],
  ['hooks without a secret', { brokers: [{ name: 'a', kind: 'emqx' }] }, /gives a no hook_secrets/],
  [
    'an administration that is not used',
    { brokers: [entry('a', { kind: 'nanomq', admin: { ...login, url: 'http://h' } })] },
    /gives a an admin interface/,
  ],
  [
    'one user of RabbitMQ for all',
    {
      brokers: [
        entry('a', {
          kind: 'rabbitmq',
          admin: { ...login, url: 'http://h' },
          mqtt: { ...login, url: 'mqtt://h' },
        }),
      ],
    },
    /one user name for admin and mqtt/,
  ],
  [
    'a virtual host of EMQX',
    { brokers: [entry('a', { vhost: '/' })] },
    /member vhost, which only the kind rabbitmq has/,
  ],
  [
    'settings of EMQX elsewhere',
    { brokers: [entry('a', { kind: 'vernemq', emqx: {} })] },
    /member emqx, which only the kind emqx has/,
  ],
  [
    'a password of the service that can be guessed',
    {
      brokers: [
        entry('a', { mqtt: { url: 'mqtt://h', username: 'u', password: 'fifteen letters' } }),
      ],
    },
    /must have at least 16 characters/,
  ],
]

describe('the brokers file', () => {
  test('is read at the start, and without one there are no brokers', async () => {
    const { brokers, received } = await open({ brokers: [full, entry('second')] })
    assert.deepEqual(
      brokers.present().map(({ name }) => name),
      ['fleet', 'second'],
    )
    assert.deepEqual(brokers.present()[0], full)
    assert.deepEqual(received, [])
    assert.deepEqual(openBrokersFile(undefined, () => {}).present(), [])
  })

  for (const [what, content, words] of wrong) {
    test(`with ${what} is refused with an error that repeats no secret`, async () => {
      await assert.rejects(
        async () => open(content),
        (error: Error) => {
          assert.ok(error instanceof ConfigError)
          assert.match(error.message, words)
          assert.equal(error.message.includes(secret), false)
          return true
        },
      )
    })
  }

  test('a change of the file reaches all listeners, even if one of them fails', async () => {
    const { file, brokers } = await open({ brokers: [entry('a')] })
    const heard: string[][] = []
    brokers.onChange(() => {
      throw new Error('not I')
    })
    brokers.onChange((present) => heard.push(present.map(({ name }) => name)))
    await write(file, { brokers: [entry('b')] })
    await assert.rejects(brokers.refresh(), /not I/)
    assert.deepEqual(heard, [['b']])
  })

  test('that is not there is refused', () => {
    assert.throws(() => openBrokersFile(join(folder, 'none.json'), () => {}), /cannot be read/)
  })
})

describe('a brokers file in use', () => {
  test('is read again when it changes, and its listeners are notified', async () => {
    const { file, brokers, received } = await open({ brokers: [full] })
    const heard: number[] = []
    brokers.onChange((all) => heard.push(all.length))
    await brokers.refresh()
    assert.deepEqual(heard, [])
    await write(file, { brokers: [full, entry('second')] })
    await brokers.refresh()
    assert.deepEqual(heard, [2])
    assert.equal(brokers.present().length, 2)
    assert.doesNotMatch(JSON.stringify(received), /word/)
  })

  test('in a wrong new version is refused once, and the old one stays', async () => {
    const { file, brokers, received } = await open({ brokers: [full] })
    await write(file, { brokers: [entry('a'), entry('a')] })
    await brokers.refresh()
    await brokers.refresh()
    assert.deepEqual(brokers.present(), [full])
    assert.deepEqual(
      received.map(({ level }) => level),
      ['warn'],
    )
    assert.match(received[0]?.message ?? '', /name a twice.* The previous version stays in use/)
    assert.deepEqual(received[0]?.fields, { file }, 'the error has one line and no stack')
    await rm(file)
    await brokers.refresh()
    assert.match(received[1]?.message ?? '', /cannot be read/)
    assert.deepEqual(brokers.present(), [full])
    await write(file, { brokers: [] })
    await brokers.refresh()
    assert.deepEqual(brokers.present(), [])
  })

  test('is read again when a file of an authority changes, which makes it another entry', async () => {
    const authority = join(folder, 'ca.pem')
    await writeFile(authority, 'one')
    const admin = { url: 'https://h', ...login, ca_file: authority }
    const { brokers } = await open({ brokers: [entry('a', { admin })] })
    const heard: (string | undefined)[] = []
    brokers.onChange(([first]) => heard.push(first?.admin?.ca))
    await brokers.refresh()
    assert.equal(brokers.present()[0]?.admin?.ca, 'one')
    await writeFile(authority, 'another')
    await brokers.refresh()
    assert.deepEqual(heard, ['another'])
    await rm(authority)
    await brokers.refresh()
    assert.equal(brokers.present()[0]?.admin?.ca, 'another')
  })

  test('that everybody may read causes a warning', async () => {
    const { file, brokers, received } = await open({ brokers: [] })
    await write(file, { brokers: [full] })
    await chmod(file, 0o644)
    await brokers.refresh()
    const warned = received.filter(({ level }) => level === 'warn')
    assert.match(warned[0]?.message ?? '', /readable by every user/)
  })
})
