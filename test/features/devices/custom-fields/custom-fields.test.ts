/** Custom fields: valid definitions, and the values that devices may then have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { purgeCustomFields } from '../../../../src/features/devices/custom-fields/custom-field.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallOptions, type CallResult } from '../../../support/app.ts'
import { revisionOf } from '../../../support/revision.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

async function start(t: Parameters<typeof freshTenants>[0]) {
  const app = await freshTenants(t)
  const base = `/workspaces/${app.seed.id}`
  const call = (method: string, path: string, body?: unknown, options: CallOptions = {}) =>
    app.call(method, `${base}${path}`, {
      as: as.platformKey(app.seed.platformKey),
      ...(body !== undefined && { body }),
      ...options,
    })
  const define = async (body: object): Promise<CallResult['body']> => {
    const response = await call('POST', '/custom-fields', body)
    assert.equal(response.status, 201, response.text)
    return response.body
  }
  const makeDevice = (custom_fields: object) =>
    call('POST', '/devices', {
      device_key: `k${Math.random().toString(36).slice(2)}`,
      custom_fields,
    })
  return { app, call, define, makeDevice }
}

test('a field is defined, changed and listed by name, which only one field can have', async (t) => {
  const { app, call, define } = await start(t)
  const field = await define({ name: 'volt', type: 'number', minimum: 0 })
  assert.deepEqual(field, {
    id: field.id,
    workspace_id: app.seed.id,
    name: 'volt',
    type: 'number',
    description: '',
    options: null,
    minimum: 0,
    maximum: null,
    max_length: null,
    status: 'active',
    created_at: field.created_at,
    updated_at: field.updated_at,
  })
  await define({ name: 'floor', type: 'string', options: ['a', 'b'] })
  const changed = await call('PATCH', `/custom-fields/${field.id}`, { minimum: null, maximum: 9 })
  assert.equal(revisionOf(changed.headers), 2)
  assert.deepEqual([changed.body.minimum, changed.body.maximum], [null, 9])
  const { body } = await call('GET', '/custom-fields')
  assert.deepEqual(
    body.items.map(({ name }: { name: string }) => name),
    ['floor', 'volt'],
  )
  const again = await call('POST', '/custom-fields', { name: 'volt', type: 'json' })
  assert.equal(again.body.code, 'custom_field_taken')
  const stale = await call(
    'PATCH',
    `/custom-fields/${field.id}`,
    {},
    { headers: { 'if-match': '"1"' } },
  )
  assert.equal(stale.status, 412)
})

test('rules that make no sense for a type are refused', async (t) => {
  const { call, define } = await start(t)
  const bad: [object, string][] = [
    [{ type: 'number', options: ['a'] }, '/options'],
    [{ type: 'boolean', minimum: 1 }, '/minimum'],
    [{ type: 'json', max_length: 1 }, '/max_length'],
    [{ type: 'number', minimum: 2, maximum: 1 }, '/maximum'],
    [{ type: 'string', options: [] }, '/options'],
    [{ type: 'string', options: ['a', 'a'] }, '/options'],
    [{ type: 'date' }, '/type'],
    [{ type: 'string', name: 'a b' }, '/name'],
    [{ type: 'string', pattern: '(a+)+$' }, '/pattern'],
  ]
  for (const [body, pointer] of bad) {
    const { status, body: problem } = await call('POST', '/custom-fields', { name: 'x', ...body })
    assert.equal(status, 400, JSON.stringify(body))
    assert.equal(problem.errors[0].pointer, pointer)
  }
  const { id } = await define({ name: 'x', type: 'number', maximum: 1 })
  for (const body of [{ minimum: 2 }, { options: ['a'] }, { name: 'y' }, { type: 'json' }]) {
    assert.equal((await call('PATCH', `/custom-fields/${id}`, body)).status, 400)
  }
})

test('a device has values of the types that are defined, and no others', async (t) => {
  const { call, define, makeDevice } = await start(t)
  await define({ name: 'text', type: 'string', max_length: 3 })
  await define({ name: 'room', type: 'string', options: ['a', 'b'] })
  await define({ name: 'volt', type: 'number', minimum: 0, maximum: 5 })
  await define({ name: 'on', type: 'boolean' })
  await define({ name: 'any', type: 'json' })
  const good = { text: '😀😀😀', room: 'b', volt: 0, on: false, any: [{ x: null }] }
  const made = await makeDevice({ ...good, gone: null })
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(made.body.custom_fields, good)
  const path = `/devices/${made.body.id}`
  const bad: [string, unknown, RegExp][] = [
    ['text', '1234', /at most 3 characters/],
    ['text', 7, /must be a string/],
    ['room', 'c', /one of the options/],
    ['volt', -1, /at least 0/],
    ['volt', 5.1, /at most 5/],
    ['volt', '1', /must be a number/],
    ['on', 0, /must be a boolean/],
    ['new', 1, /define it first/],
    ['a/b~c', 1, /define it first/],
  ]
  for (const [name, value, words] of bad) {
    for (const response of [
      await makeDevice({ [name]: value }),
      await call('PATCH', path, { custom_fields: { [name]: value } }),
    ]) {
      assert.equal(response.status, 400, `${name} ${response.text}`)
      const [error] = response.body.errors
      assert.equal(error.pointer, `/custom_fields/${name.replace('~', '~0').replace('/', '~1')}`)
      assert.match(error.message, words)
    }
  }
  const patched = await call('PATCH', path, { custom_fields: { on: true, any: 7, text: null } })
  assert.deepEqual(patched.body.custom_fields, { room: 'b', volt: 0, on: true, any: 7 })
})

test('values from before a rule stay, can be removed, and are validated when written', async (t) => {
  const { app, call, define, makeDevice } = await start(t)
  const { id } = await define({ name: 'volt', type: 'number' })
  const { body } = await makeDevice({ volt: 9 })
  const path = `/devices/${body.id}`
  await app.database.query(
    unnamed(`UPDATE devices SET custom_fields = custom_fields || '{"stray": 1}' WHERE id = $1`),
    [parseId('dev', body.id)],
  )
  await call('PATCH', `/custom-fields/${id}`, { maximum: 5 })
  const renamed = await call('PATCH', path, { name: 'x' })
  assert.deepEqual(renamed.body.custom_fields, { volt: 9, stray: 1 })
  const same = await call('PATCH', path, { custom_fields: { volt: 9 } })
  assert.equal(same.status, 400)
  const freed = await call('PATCH', path, { custom_fields: { volt: 4, stray: null } })
  assert.deepEqual(freed.body.custom_fields, { volt: 4 })
})

test('a field that devices use is deleted only with its values, each with its entry', async (t) => {
  const { app, call, define, makeDevice } = await start(t)
  const { id } = await define({ name: 'volt', type: 'number' })
  await define({ name: 'kept', type: 'number' })
  const devices = await Promise.all([1, 2, 3].map((volt) => makeDevice({ volt, kept: volt })))
  const field = `/custom-fields/${id}`
  const refused = await call('DELETE', field)
  assert.equal(refused.body.code, 'custom_field_in_use')
  assert.equal(refused.body.detail, '3 devices have a value of this field.')
  const going = await call('DELETE', `${field}?purge=true`)
  assert.equal(going.status, 202, going.text)
  assert.equal(going.body.status, 'deleting')
  assert.equal((await makeDevice({ volt: 1 })).status, 400, 'the field accepts no more values')
  const taken = await call('POST', '/custom-fields', { name: 'volt', type: 'string' })
  assert.equal(taken.body.code, 'custom_field_taken')
  await Promise.all([1, 2, 3].map(() => purgeCustomFields(app.database)))
  // The service may be at it by itself.
  await until('the field is deleted', async () => {
    const { body } = await call('GET', field)
    return body.code === 'custom_field_not_found'
  })
  for (const [index, { body }] of devices.entries()) {
    const device = await call('GET', `/devices/${body.id}`)
    assert.deepEqual(device.body.custom_fields, { kept: index + 1 })
    const { body: log } = await call('GET', `/audit-log?resource=${body.id}&action=device.updated`)
    assert.equal(log.items.length, 1)
    assert.deepEqual(log.items[0].detail.before, { custom_fields: { volt: index + 1 } })
    assert.equal(log.items[0].actor.kind, 'platform-key')
  }
  await define({ name: 'volt', type: 'string' })
})

test('a field without values is deleted at once; concurrent deletion and use are serialized', async (t) => {
  const { call, define, makeDevice } = await start(t)
  for (let round = 0; round < 6; round += 1) {
    const { id } = await define({ name: 'race', type: 'number' })
    const [made, deleted] = await Promise.all([
      makeDevice({ race: 1 }),
      call('DELETE', `/custom-fields/${id}`),
    ])
    if (deleted.status === 204) {
      assert.equal(made.status, 400, 'a deleted field accepts no value')
    } else {
      assert.equal(deleted.body.code, 'custom_field_in_use')
      assert.equal(made.status, 201)
      await call('DELETE', `/devices/${made.body.id}`)
      assert.equal((await call('DELETE', `/custom-fields/${id}`)).status, 204)
    }
  }
})

test('a workspace has at most a hundred fields, however many are defined at once', async (t) => {
  const { app, call } = await start(t)
  await app.database.query(
    unnamed(`INSERT INTO custom_fields (workspace_id, id, name, type)
             SELECT $1, gen_random_uuid(), 'f' || n, 'json' FROM generate_series(1, 96) AS n`),
    [app.seed.uuid],
  )
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      call('POST', '/custom-fields', { name: `g${n}`, type: 'json' }),
    ),
  )
  assert.equal(responses.filter(({ status }) => status === 201).length, 4)
  assert.equal(responses.filter(({ body }) => body.code === 'limit_reached').length, 6)
})
