/** Refused properties of a device template: each refusal points at the member that is wrong. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const good = { model_key: 'm-1', name: 'Model', serial_format: 'M-%#f' }
const firmware = { url: 'https://a.example/b', sha256: 'a'.repeat(64), size_bytes: 1 }
const rule = { action: 'publish', topic: '{slug}/{device_key}/x', permission: 'allow' }
const definition = { name: 'a', type: 'string' }
const big = (bytes: number): Record<string, string> => ({ x: 'y'.repeat(bytes) })

/** A definition of the capability `a` with these members, and which of them is wrong. */
const badDefinitions = (
  [
    [{ type: 'string', min: 1 }, 'min'],
    [{ type: 'boolean', max: 1 }, 'max'],
    [{ type: 'integer', min: 0.5 }, 'min'],
    [{ type: 'number', min: 2, max: 1 }, 'max'],
    [{ type: 'number', max: '1' }, 'max'],
    [{ type: 'boolean', enum: [true] }, 'enum'],
    [{ type: 'object', enum: [{}] }, 'enum'],
    [{ type: 'string', enum: [] }, 'enum'],
    [{ type: 'string', enum: ['a', 'a'] }, 'enum/1'],
    [{ type: 'string', enum: ['a', 1] }, 'enum/1'],
    [{ type: 'integer', enum: [1, 2.5] }, 'enum/1'],
    [{ type: 'integer', max: 2, enum: [1, 3] }, 'enum/1'],
    [{ type: 'string', mode: 'both' }, 'mode'],
    [{ type: 'string', default: 1 }, 'default'],
    [{ type: 'string', default: null }, 'default'],
    [{ type: 'boolean', default: 'true' }, 'default'],
    [{ type: 'object', default: [] }, 'default'],
    [{ type: 'integer', default: 1.5 }, 'default'],
    [{ type: 'number', min: 0, default: -1 }, 'default'],
    [{ type: 'number', max: 0, default: 1 }, 'default'],
    [{ type: 'string', enum: ['a'], default: 'b' }, 'default'],
  ] as const
).map(([members, name]): [Record<string, unknown>, string] => [
  { capabilities: ['a'], capability_definitions: [{ name: 'a', ...members }] },
  `/capability_definitions/0/${name}`,
])

/** Members in place of the good ones, and where the refusal points. */
const bad: [Record<string, unknown>, string][] = [
  [{ model_key: undefined }, '/model_key'],
  [{ name: undefined }, '/name'],
  [{ serial_format: undefined }, '/serial_format'],
  ...['', 'a b', 'a/b', 'a+b', '-a', 'ä', 'a\n', 'x'.repeat(64)].map(
    (model_key): [Record<string, unknown>, string] => [{ model_key }, '/model_key'],
  ),
  [{ name: ' ' }, '/name'],
  [{ name: 'a\nb' }, '/name'],
  [{ name: 7 }, '/name'],
  [{ description: 'x'.repeat(2_001) }, '/description'],
  [{ serial_format: 'fixed' }, '/serial_format'],
  [{ serial_format: 'a/%#f' }, '/serial_format'],
  [{ serial_format: '%#f%q' }, '/serial_format'],
  [{ serial_format: '%ws%ws%ws%#f' }, '/serial_format'],
  [{ capabilities: ['A'] }, '/capabilities/0'],
  [{ capabilities: ['a', 'a'] }, '/capabilities'],
  [{ capabilities: 'a' }, '/capabilities'],
  [{ capability_definitions: [definition] }, '/capability_definitions/0/name'],
  [
    { capabilities: ['a'], capability_definitions: [definition, definition] },
    '/capability_definitions/1/name',
  ],
  [
    { capabilities: ['a'], capability_definitions: [{ name: 'a', type: 'float' }] },
    '/capability_definitions/0/type',
  ],
  [
    { capabilities: ['a'], capability_definitions: [{ ...definition, extra: 1 }] },
    '/capability_definitions/0/extra',
  ],
  ...badDefinitions,
  [{ default_config: [] }, '/default_config'],
  [{ default_config: null }, '/default_config'],
  [{ default_config: big(16_384) }, '/default_config'],
  [{ rotation_overlap_s: 59 }, '/rotation_overlap_s'],
  [{ rotation_overlap_s: 31_536_001 }, '/rotation_overlap_s'],
  [{ rotation_overlap_s: 60.5 }, '/rotation_overlap_s'],
  [{ rotation_overlap_s: '60' }, '/rotation_overlap_s'],
  [{ mqtt_acl: [{ ...rule, topic: 'acme/x' }] }, '/mqtt_acl/0/topic'],
  [{ mqtt_acl: [rule, { ...rule, topic: '{slug}' }] }, '/mqtt_acl/1/topic'],
  [{ mqtt_acl: [{ ...rule, topic: '{device_key}/{slug}/x' }] }, '/mqtt_acl/0/topic'],
  [{ mqtt_acl: [{ ...rule, topic: '{slug}/{device_key}/#' }] }, '/mqtt_acl/0/topic'],
  [{ mqtt_acl: [{ ...rule, action: 'pubsub', topic: '{slug}/+/x' }] }, '/mqtt_acl/0/topic'],
  [{ mqtt_acl: [{ ...rule, action: 'subscribe', topic: '{slug}/a#' }] }, '/mqtt_acl/0/topic'],
  [{ mqtt_acl: [{ ...rule, action: 'subscribe', topic: '{slug}/#/a' }] }, '/mqtt_acl/0/topic'],
  [{ mqtt_acl: [{ ...rule, topic: '{slug}/{other}' }] }, '/mqtt_acl/0/topic'],
  [{ mqtt_acl: [{ ...rule, topic: '{slug}/a{b' }] }, '/mqtt_acl/0/topic'],
  [{ mqtt_acl: [{ ...rule, topic: '{slug}/a\nb' }] }, '/mqtt_acl/0/topic'],
  [{ mqtt_acl: [{ ...rule, action: 'read' }] }, '/mqtt_acl/0/action'],
  [{ mqtt_acl: [{ ...rule, permission: 'maybe' }] }, '/mqtt_acl/0/permission'],
  [{ mqtt_acl: [{ ...rule, qos: 1 }] }, '/mqtt_acl/0/qos'],
  [{ mqtt_acl: Array.from({ length: 101 }, () => rule) }, '/mqtt_acl'],
  [
    {
      mqtt_acl: Array.from({ length: 60 }, () => ({ ...rule, topic: `{slug}/${'x'.repeat(400)}` })),
    },
    '/mqtt_acl',
  ],
  [{ firmware: { ...firmware, url: 'ftp://a.example/b' } }, '/firmware/url'],
  [{ firmware: { ...firmware, url: 'https://a example/b' } }, '/firmware/url'],
  [{ firmware: { ...firmware, url: 'https://[::1' } }, '/firmware/url'],
  [{ firmware: { ...firmware, url: `https://a.example/${'x'.repeat(500)}` } }, '/firmware/url'],
  [{ firmware: { ...firmware, sha256: 'g'.repeat(64) } }, '/firmware/sha256'],
  [{ firmware: { ...firmware, sha256: 'a'.repeat(63) } }, '/firmware/sha256'],
  [{ firmware: { ...firmware, size_bytes: 0 } }, '/firmware/size_bytes'],
  [{ firmware: { url: firmware.url } }, '/firmware/sha256'],
  [{ firmware: { ...firmware, signature: 'x' } }, '/firmware/signature'],
  ...['id', 'workspace_id', 'revision', 'created_at', 'updated_at'].map(
    (name): [Record<string, unknown>, string] => [{ [name]: 'x' }, `/${name}`],
  ),
]

test('every member is checked on creation and on change', async (t) => {
  const { call, seed } = await freshTenants(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates`
  for (const [change, pointer] of bad) {
    const created = await call('POST', path, { as: caller, body: { ...good, ...change } })
    assert.equal(created.status, 400, `${JSON.stringify(change)} ${created.text}`)
    assert.equal(created.body.errors[0].pointer, pointer, created.text)
    const isOmission = Object.values(change).every((value) => value === undefined)
    if (isOmission) continue
    const one = `${path}/${seed.template.id}`
    const changed = await call('PATCH', one, { as: caller, body: change })
    assert.equal(changed.status, 400, `${JSON.stringify(change)} ${changed.text}`)
  }
  const { body } = await call('GET', path, { as: caller })
  assert.equal(body.items.length, 1)
  assert.equal(body.items[0].name, 'Sensor')
})

test('the model key is fixed', async (t) => {
  const { call, seed } = await freshTenants(t)
  const path = `/workspaces/${seed.id}/device-templates/${seed.template.id}`
  const body = { model_key: 'another' }
  const changed = await call('PATCH', path, { as: as.platformKey(seed.platformKey), body })
  assert.equal(changed.status, 400)
  assert.equal(changed.body.errors[0].pointer, '/model_key')
})

test('a change is checked together with what stays as it was', async (t) => {
  const { call, seed } = await freshTenants(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates`
  const body = { ...good, capabilities: ['a'], capability_definitions: [definition] }
  const { body: created } = await call('POST', path, { as: caller, body })
  const one = `${path}/${created.id}`
  const orphaned = await call('PATCH', one, { as: caller, body: { capabilities: ['b'] } })
  assert.equal(orphaned.status, 400)
  const half = { default_config: big(9_000) }
  assert.equal((await call('PATCH', one, { as: caller, body: half })).status, 200)
  const other = { default_config: { z: 'y'.repeat(9_000) } }
  assert.equal((await call('PATCH', one, { as: caller, body: other })).status, 400)
})

test('a workspace has at most a thousand templates, however many come at once', async (t) => {
  const { call, seed, database } = await freshTenants(t)
  const fill = `INSERT INTO device_templates (workspace_id, id, model_key, name, serial_format)
    SELECT $1, gen_random_uuid(), 'fill-' || n, 'x', '%#f' FROM generate_series(1, 997) n`
  await database.query({ name: undefined, text: fill }, [seed.uuid])
  const path = `/workspaces/${seed.id}/device-templates`
  const make = (_: unknown, n: number) =>
    call('POST', path, {
      as: as.platformKey(seed.platformKey),
      body: { ...good, model_key: `m-${n}` },
    })
  // With the one of the seed there is room for two.
  const responses = await Promise.all(Array.from({ length: 10 }, make))
  const made = responses.filter(({ status }) => status === 201).length
  const refused = responses.filter(({ body: { code } }) => code === 'limit_reached')
  assert.deepEqual([made, refused.length], [2, 8])
  assert.deepEqual(refused[0]?.body.limit, { name: 'device_templates', value: 1_000 })
})
