/**
 * Isolation: resources of another tenant are, to the byte, like those that never existed; and
 * nobody changes anything of another tenant by trying.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { formatId, type IdPrefix, newUuid, parseId } from '../../src/platform/lib/ids.ts'
import { operations as all } from '../../src/operations.ts'
import { isForOperators, routeOf } from '../../src/platform/http/operation.ts'
import { type CallResult, type Headers, type TestApp } from '../support/app.ts'
import { seed } from '../support/seed.ts'
import { useApp } from '../support/suite-app.ts'
import { TenantChanges } from '../support/tenant-changes.ts'
import { idOf, seedTenant, type Tenant } from '../support/tenants.ts'

type AnyOperation = (typeof all)[number]
type Json = Record<string, unknown>

/** An operator sees every workspace; the law `access` keeps all others away. */
const operations = all.filter((operation) => !isForOperators(operation))

/** Members that may name any workspace, with the reason. */
const OPEN_MEMBERS: Readonly<Record<string, string>> = {
  'createClaim workspace_id': 'A phone belongs to no workspace until a device has confirmed it.',
  'startMoidSession workspace_id': 'Anyone who knows a workspace may lock a new session to it.',
}

const hasOneForeign = (owners: readonly Whose[]): boolean =>
  owners.filter((whose) => whose !== 'own').length === 1

const idsOf = ({ params }: AnyOperation) =>
  Object.values(params).filter(({ prefix }) => prefix !== undefined)

type Whose = 'own' | 'other' | 'unknown'

/** A response without what names this one request, or an id that was asked for. */
function comparable({ status, headers, text }: CallResult, asked: readonly string[]) {
  const { 'x-request-id': _id, date: _date, 'content-length': _length, ...rest } = headers
  let plain = text.replaceAll(/"trace_id":"[0-9a-f]+"/g, '')
  for (const id of asked) plain = plain.replaceAll(id, 'ID')
  return { status, headers: rest, text: plain }
}

interface Member {
  /** Names from the outside in; `*` for an item of a list. */
  path: readonly string[]
  prefix: IdPrefix
  /** The text in place of the id. */
  encode: (id: string) => string
}

const unchanged = (id: string): string => id

/** Where a body or query holds an id, with its prefix; filters name ids as well. */
function idMembers(schema: unknown, path: readonly string[] = []): Member[] {
  const { pattern, properties, items, anyOf } = (schema ?? {}) as {
    pattern?: string
    properties?: Json
    items?: unknown
    anyOf?: unknown[]
  }
  const prefix = /^\^(?:\(\?:)?([a-z]+)_/.exec(pattern ?? '')?.[1] as IdPrefix | undefined
  const isId = prefix !== undefined && parseId(prefix, formatId(prefix, newUuid()))
  if (isId) return [{ path, prefix, encode: unchanged }]
  if (path.at(-1) === 'filter') {
    return [
      { path, prefix: 'dev', encode: (id) => `id = ${id}` },
      { path, prefix: 'tpl', encode: (id) => `template_id = ${id}` },
    ]
  }
  return [
    ...Object.entries(properties ?? {}).flatMap(([name, each]) => idMembers(each, [...path, name])),
    ...(items === undefined ? [] : idMembers(items, [...path, '*'])),
    ...(anyOf ?? []).flatMap((each) => idMembers(each, path)),
  ]
}

/** A copy of `into` with the value in its place. */
function withMember(into: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  if (name === '*') return [withMember((into as unknown[] | undefined)?.[0], rest, value)]
  const members = (into ?? {}) as Json
  return { ...members, [name]: withMember(members[name], rest, value) }
}

describe('tenants', () => {
  const get = useApp()
  let app: TestApp
  let changes: TenantChanges
  /** The tenant whose credentials are used. */
  let own: Tenant
  let other: Tenant
  let back: { own: Tenant; other: Tenant }

  before(async () => {
    app = get()
    own = await seedTenant(app, app.seed)
    other = await seedTenant(app, app.seed.other)
    // For the other way round: nobody acts for whom the things belong to, so nothing of them moves.
    const again = await seed(app.app)
    back = { own: await seedTenant(app, again.other), other: await seedTenant(app, again) }
    changes = new TenantChanges(app)
    await changes.watch([other, back.other])
  })

  /** Runs `work` for both directions; the way back is tried by one caller of each operation. */
  async function inBothDirections(
    operation: AnyOperation,
    work: (callers: readonly Headers[]) => Promise<void>,
  ): Promise<void> {
    await work(callersOf(operation))
    const there = { own, other }
    ;({ own, other } = back)
    try {
      await work(callersOf(operation).slice(0, 1))
    } finally {
      ;({ own, other } = there)
    }
  }

  const callersOf = ({ access }: AnyOperation): readonly Headers[] =>
    access === 'public' ? [{}] : access.flatMap((kind) => own.callers[kind])

  const idFor = (whose: Whose, prefix: IdPrefix): string =>
    whose === 'unknown' ? formatId(prefix, newUuid()) : idOf(whose === 'own' ? own : other, prefix)

  /** Calls an operation with ids of the given owners in its path. */
  async function callWith(operation: AnyOperation, owners: readonly Whose[], caller: Headers) {
    const asked: string[] = []
    let index = 0
    const path = routeOf(operation).replaceAll(/:([a-z_]+)/g, (_whole, name: string) => {
      const prefix = operation.params[name]?.prefix
      // A number belongs to nobody: the ids before it say whose it is.
      const id = prefix === undefined ? '1' : idFor(owners[index++] as Whose, prefix)
      if (prefix !== undefined) asked.push(id)
      return id
    })
    const body = operation.method === 'GET' ? undefined : (operation.example ?? {})
    const response = await app.call(operation.method, path, { as: caller, body })
    return { response, plain: comparable(response, asked) }
  }

  /** Every choice of owners but the one where all is one's own and nothing is foreign. */
  function foreignChoices(count: number): Whose[][] {
    const all = Array.from({ length: 3 ** count }, (_none, number) =>
      Array.from({ length: count }, (_each, index): Whose => {
        const digit = Math.floor(number / 3 ** index) % 3
        return digit === 0 ? 'own' : digit === 1 ? 'other' : 'unknown'
      }),
    )
    return all.filter((owners) => owners.includes('other'))
  }

  for (const operation of operations) {
    const names = idsOf(operation)
    if (names.length === 0) continue
    test(`${operation.method} ${operation.path} knows nothing of other tenants`, () =>
      inBothDirections(operation, async (callers) => {
        const choices = foreignChoices(names.length)
        for (const [index, caller] of callers.entries()) {
          // Several mixtures are one when nobody is foreign: each of those is asked once.
          const nevers = new Map<string, Awaited<ReturnType<typeof callWith>>>()
          // The rules are the same for all callers: one of them tries every mixture.
          for (const owners of index === 0 ? choices : choices.filter(hasOneForeign)) {
            const unknown = owners.map((whose) => (whose === 'other' ? 'unknown' : whose))
            const foreign = await callWith(operation, owners, caller)
            const key = unknown.join(' ')
            const never = nevers.get(key) ?? (await callWith(operation, unknown, caller))
            nevers.set(key, never)
            const where = `${operation.id} with ${owners.join(', ')}`
            const first = names[owners.findIndex((whose) => whose !== 'own')]
            assert.equal(foreign.response.status, 404, `${where}: ${foreign.response.text}`)
            assert.equal(foreign.response.body.code, first?.missing, where)
            assert.deepEqual(foreign.plain, never.plain, where)
          }
        }
        await changes.requireUnchanged()
      }))
  }

  async function callWithMember(
    operation: AnyOperation,
    place: 'body' | 'query',
    { path: inside, prefix, encode }: Member,
    whose: Whose,
    caller: Headers,
  ) {
    const id = idFor(whose, prefix)
    const value = encode(id)
    const path = routeOf(operation).replaceAll(/:([a-z_]+)/g, (_whole, param: string) =>
      idOf(own, operation.params[param]?.prefix),
    )
    const query = place === 'query' ? `?${inside[0]}=${encodeURIComponent(value)}` : ''
    const sent = withMember(operation.example, inside, value)
    const rows = { body: JSON.stringify(sent), headers: { 'content-type': 'application/x-ndjson' } }
    const response = await app.call(operation.method, `${path}${query}`, {
      as: caller,
      ...(place === 'body' && (operation.rows === undefined ? { body: sent } : rows)),
    })
    return { response, plain: comparable(response, [id]) }
  }

  for (const operation of operations) {
    for (const place of ['body', 'query'] as const) {
      for (const member of idMembers(operation[place])) {
        // A filter in a body makes something, and a second time something else.
        if (place === 'body' && member.encode !== unchanged) continue
        const name = member.path.join('/')
        if (`${operation.id} ${name}` in OPEN_MEMBERS) continue
        const words = member.encode === unchanged ? name : `${name} (${member.encode('…')})`
        test(`${operation.id}: ${words} of another tenant is an unknown one`, () =>
          inBothDirections(operation, async (callers) => {
            for (const caller of callers) {
              const ask = (whose: Whose) => callWithMember(operation, place, member, whose, caller)
              let foreign = await ask('other')
              const never = await ask('unknown')
              // Earlier writes may have come into the feed of events between the two.
              const isRead = operation.method === 'GET'
              if (isRead && !isDeepStrictEqual(foreign.plain, never.plain))
                foreign = await ask('other')
              assert.deepEqual(foreign.plain, never.plain)
              assert.ok(foreign.response.status < 500, foreign.response.text)
              assert.notEqual(foreign.response.status, 415, 'nobody has read the member')
            }
            await changes.requireUnchanged()
          }))
      }
    }
  }

  test('each operation finds something with an id of its own tenant, so the law is not blind', async () => {
    const found = new Set<string>()
    for (const operation of operations) {
      if (operation.method !== 'GET' || Object.keys(operation.params).length === 0) continue
      for (const caller of callersOf(operation)) {
        const owners = idsOf(operation).map((): Whose => 'own')
        const { response } = await callWith(operation, owners, caller)
        assert.equal(response.status, 200, `${operation.id}: ${response.text}`)
        found.add(operation.id)
      }
    }
    assert.ok(found.size >= 8, [...found].join(' '))
  })
})
