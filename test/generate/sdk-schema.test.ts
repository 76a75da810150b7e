/** The file of types has every operation, as the service implements it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { operations as described, roles } from '../../sdk/schema.ts'
import type { CreateApiKey, ErrorCode, Operations } from '../../sdk/schema.ts'
import { sdkSchema } from '../../generate/sdk-schema.ts'
import { operations } from '../../src/operations.ts'
import { type Permission, permissions } from '../../src/platform/access/permissions.ts'
import { operationOf } from '../../src/platform/http/operation.ts'
import { respond } from '../../src/platform/http/reply.ts'

const define = operationOf()

const measure = define({
  id: 'measure',
  route: 'POST /workspaces/:id/measurements/:version',
  tag: 'Devices',
  access: ['user'],
  permission: 'devices.read',
  query: Type.Object({ limit: Type.Optional(Type.Integer()) }),
  body: Type.Object({ note: Type.Optional(Type.String()) }),
  returns: { 201: Type.Object({ id: Type.String() }, { title: 'Measurement' }), 204: null },
  fails: ['device_not_found'],
  run: async () => respond(204, null),
})

/** The text of one operation, on one line. */
const typeIn = (text: string, id: string): string =>
  (new RegExp(`^  ${id}: \\{\\n([^]*?)^  \\}`, 'm').exec(text)?.[1] ?? '').replaceAll(/\s+/g, ' ')

test('an operation has its request, its responses and its own failures as types', () => {
  const text = sdkSchema([...operations, measure] as typeof operations)
  const type = typeIn(text, 'measure')
  assert.match(
    type,
    /params: \{ id: string; version: number \| string \} query: \{ limit\?: number \}/,
  )
  assert.match(type, /body: Measure \| undefined responses: \{ 201: Measurement; 204: undefined \}/)
  assert.match(type, /fails: SharedErrorCode \|.* 'device_not_found' .*summary: null/)
  assert.match(text, /^export type Measurement = \{\n {2}id: string\n\}/m)
})

test('an operation that has no summary, or another base, is included with both', () => {
  const text = sdkSchema([{ ...measure, base: '/console/api' }])
  assert.match(
    text,
    /measure: \{ method: 'POST', path: '[^']+', base: '\/console\/api', permission: 'd/,
  )
})

test('a body is required if one of its members is', () => {
  const body = Type.Object({ note: Type.String() })
  assert.match(typeIn(sdkSchema([{ ...measure, body }]), 'measure'), /body: Measure resp/)
})

test('a component cannot take the name of a type of the file', () => {
  const body = Type.Object({}, { title: 'Operations' })
  assert.throws(() => sdkSchema([{ ...measure, body }]), /Operations/)
})

test('the constant describes every operation of the service', () => {
  assert.deepEqual(
    new Map(
      Object.entries(described).map(([id, { method, path, permission }]) => [
        id,
        [method, path, permission],
      ]),
    ),
    new Map(
      operations.map(({ id, method, path, permission }) => [
        id,
        [method, path.replaceAll(/:(\w+)/g, '{$1}'), permission ?? null],
      ]),
    ),
  )
})

test('the permissions of each role are those of the table', () => {
  for (const [name, { roles: holders }] of Object.entries(permissions)) {
    const held: readonly string[] = holders
    for (const [role, names] of Object.entries(roles)) {
      const list: readonly Permission[] = names
      assert.equal(list.includes(name as Permission), held.includes(role), `${role}: ${name}`)
    }
  }
})

/** Whether two types are the same; checked by the compiler. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

test('types can be picked by the name of an operation', () => {
  const checked: [
    Same<Operations['createApiKey']['body'], CreateApiKey>,
    Same<Operations['getDevice']['params'], { id: string; device_id: string }>,
    Same<Operations['listDevices']['responses'][200]['items'][number]['connected'], boolean>,
    Same<Extract<Operations['getDevice']['fails'], 'device_not_found'>, 'device_not_found'>,
    Operations[keyof Operations]['fails'] extends ErrorCode ? true : false,
  ] = [true, true, true, true, true]
  assert.deepEqual(new Set(checked), new Set([true]))
})
