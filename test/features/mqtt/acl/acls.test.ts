/** The own rules of devices and principals: one ordered list for all writers. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { as, type Headers, type TestApp } from '../../../support/app.ts'
import { registerDevice } from '../../../support/commands.ts'
import {
  addRules,
  aclsOf,
  type CallAcls,
  ruleOf,
  seedPrincipal,
} from '../../../support/mqtt-rules.ts'
import { revisionOf } from '../../../support/revision.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const OWNERS = {
  device: async (app: TestApp) => (await registerDevice(app)).device_id,
  principal: seedPrincipal,
}

const topicsOf = async (call: CallAcls): Promise<string[]> =>
  (await call('GET')).body.items.map(({ topic }: { topic: string }) => topic)

const byText = (one: string, other: string): number => one.localeCompare(other)

for (const [kind, make] of Object.entries(OWNERS)) {
  suite(`the rules of a ${kind}`, () => {
    test('are added, changed, moved and taken away, and keep their order', async (t) => {
      const app = await freshTenants(t)
      const call = aclsOf(app, await make(app))
      const empty = await call('GET')
      assert.deepEqual(empty.body, { items: [], next_cursor: null, findings: [] })
      assert.equal(revisionOf(empty.headers), 1)
      const [a, b] = await addRules(call, 'allow publish {slug}/a', 'deny pubsub {slug}/b')
      const { findings: _, ...shown } = a
      assert.deepEqual(shown, {
        id: a.id,
        ...ruleOf('allow publish {slug}/a'),
        position: 1,
        created_at: a.created_at,
        updated_at: a.created_at,
      })
      const between = await call('POST', '', {
        ...ruleOf('allow publish {slug}/c'),
        before_id: b.id,
      })
      assert.equal(between.body.position, 2)
      assert.equal(revisionOf(between.headers), 4)
      assert.deepEqual(await topicsOf(call), ['{slug}/a', '{slug}/c', '{slug}/b'])
      const changed = await call('PATCH', `/${a.id}`, { topic: '{slug}/d' })
      assert.deepEqual(
        [
          changed.body.topic,
          changed.body.action,
          changed.body.position,
          revisionOf(changed.headers),
        ],
        ['{slug}/d', 'publish', 1, 5],
      )
      const again = await call('PATCH', `/${a.id}`, { topic: '{slug}/d' })
      assert.equal(revisionOf(again.headers), 5, 'an unchanged rule is not a change')
      const acl_ids = [b.id, a.id, between.body.id]
      const ordered = await call('PUT', '/reorder', { acl_ids })
      assert.deepEqual(
        ordered.body.items.map(({ id }: { id: string }) => id),
        acl_ids,
      )
      assert.deepEqual(await topicsOf(call), ['{slug}/b', '{slug}/d', '{slug}/c'])
      assert.equal((await call('DELETE', `/${a.id}`)).status, 204)
      assert.equal((await call('DELETE', `/${a.id}`)).body.code, 'acl_not_found')
      assert.equal((await call('PATCH', `/${a.id}`, {})).body.code, 'acl_not_found')
      assert.deepEqual(await topicsOf(call), ['{slug}/b', '{slug}/c'])
    })

    test('name nothing outside of the workspace, and only what fits', async (t) => {
      const app = await freshTenants(t)
      const call = aclsOf(app, await make(app))
      const { slug } = app.seed
      const [kept] = await addRules(call, `allow subscribe ${slug}/#`)
      assert.equal(kept.topic, '{slug}/#', 'the slug is stored as a variable')
      const own = kind === 'device' ? '{slug}/{device_key}/{device_id}' : '{slug}/{principal_id}'
      const other = kind === 'device' ? '{slug}/{principal_id}' : '{slug}/{device_key}'
      await addRules(call, `allow publish ${own}`)
      const wrong = [
        'allow subscribe #',
        'allow subscribe +/x',
        `allow subscribe ${slug}2/x`,
        `allow subscribe ${slug}`,
        'allow subscribe other/#',
        'allow subscribe $share/g/{slug}/x',
        'allow publish {slug}/+',
        'allow pubsub {slug}/#',
        'allow subscribe {slug}/a#',
        'allow subscribe {slug}/{slug',
        `allow publish ${other}`,
        'allow publish {device_key}/{slug}',
      ]
      for (const text of wrong) {
        const response = await call('POST', '', ruleOf(text))
        assert.equal(response.status, 400, text)
        assert.equal(response.body.errors[0].pointer, '/topic', text)
        const changed = await call('PATCH', `/${kept.id}`, ruleOf(text))
        assert.equal(changed.status, 400, text)
      }
      const outsider = { ...ruleOf('allow publish {slug}/x'), before_id: `acl_${'0'.repeat(26)}` }
      const response = await call('POST', '', outsider)
      assert.equal(response.body.errors[0].pointer, '/before_id')
      assert.equal((await call('GET')).body.items.length, 2)
    })

    test('preview the effect of other rules without a change', async (t) => {
      const app = await freshTenants(t)
      const owner = await make(app)
      const call = aclsOf(app, owner)
      const { slug } = app.seed
      const preview = (...texts: string[]) =>
        call('POST', '/effect', { rules: texts.map((text) => ruleOf(text)) })
      await addRules(call, 'allow pubsub {slug}/shared')
      const next = await preview(
        `deny publish ${slug}/shared`,
        'allow subscribe {slug}/shared',
        'allow subscribe {slug}/shared',
      )
      assert.equal(next.status, 200, next.text)
      const { topics, findings } = next.body
      assert.deepEqual(topics, {
        gained: [],
        lost: [{ action: 'publish', topic: `${slug}/shared` }],
        is_complete: true,
      })
      const unreachable = findings.filter((each: { kind: string }) => each.kind === 'unreachable')
      assert.deepEqual(
        unreachable.map((each: { rule: object }) => each.rule),
        [{ source: kind, id: null, position: 3 }],
      )
      assert.deepEqual(await topicsOf(call), ['{slug}/shared'])
      assert.equal(revisionOf((await call('GET')).headers), 2)
      const bad = await preview('allow publish {slug}/a', 'allow publish {slug}/+')
      assert.equal(bad.status, 400, bad.text)
      assert.equal(bad.body.errors[0].pointer, '/rules/1/topic')
    })
  })
}

test('rights lost of the template, or of the default rules, are previewed, too', async (t) => {
  const app = await freshTenants(t)
  const { device_id, device_key } = await registerDevice(app)
  const call = aclsOf(app, device_id)
  const rules = [
    ruleOf(`deny publish {slug}/${device_key}/state`),
    ruleOf('allow publish {slug}/{device_id}'),
  ]
  const { body, text } = await call('POST', '/effect', { rules })
  const own = `${app.seed.slug}/`
  assert.deepEqual(
    body.topics,
    {
      gained: [{ action: 'publish', topic: `${own}${device_id}` }],
      lost: [{ action: 'publish', topic: `${own}${device_key}/state` }],
      is_complete: true,
    },
    text,
  )
})

test('an order names exactly the rules that are there', async (t) => {
  const app = await freshTenants(t)
  const call = aclsOf(app, await OWNERS.device(app))
  const [a, b] = await addRules(call, 'allow publish {slug}/a', 'allow publish {slug}/b')
  const foreign = aclsOf(app, await OWNERS.device(app))
  const [other] = await addRules(foreign, 'allow publish {slug}/a')
  const lacks = await call('PUT', '/reorder', { acl_ids: [b.id] })
  assert.equal(lacks.status, 409)
  assert.equal(lacks.body.code, 'acl_ids_differ')
  assert.deepEqual(lacks.body.errors, [{ pointer: '/acl_ids', message: `lacks ${a.id}` }])
  const more = await call('PUT', '/reorder', { acl_ids: [b.id, other.id, a.id] })
  assert.deepEqual(more.body.errors, [
    { pointer: '/acl_ids/1', message: 'is not a rule of this list' },
  ])
  assert.equal((await call('PUT', '/reorder', { acl_ids: [a.id, a.id] })).status, 400)
  assert.deepEqual(await topicsOf(call), ['{slug}/a', '{slug}/b'])
})

test('a list that was changed meanwhile is not changed from an older revision', async (t) => {
  const app = await freshTenants(t)
  const call = aclsOf(app, await OWNERS.device(app))
  const [a] = await addRules(call, 'allow publish {slug}/a', 'allow publish {slug}/b')
  const { etag } = (await call('GET')).headers
  const old = { 'if-match': '"2"' }
  const tries = [
    call('PUT', '/reorder', { acl_ids: [] }, old),
    call('PATCH', `/${a.id}`, { permission: 'deny' }, old),
    call('DELETE', `/${a.id}`, undefined, old),
    call('POST', '', ruleOf('allow publish {slug}/c'), old),
  ]
  for (const { status, body } of await Promise.all(tries)) {
    assert.deepEqual([status, body.code], [412, 'precondition_failed'])
  }
  const present = { 'if-match': `${etag}` }
  assert.equal((await call('PATCH', `/${a.id}`, { permission: 'deny' }, present)).status, 200)
})

test('fifty callers at once lose no rule and double none', async (t) => {
  const app = await freshTenants(t)
  const call = aclsOf(app, await OWNERS.device(app))
  const seeded = await addRules(
    call,
    ...Array.from({ length: 10 }, (_, number) => `allow publish {slug}/seed-${number}`),
  )
  const ids = seeded.map(({ id }) => id as string)
  const gone = ids.slice(0, 5)
  const responses = await Promise.all([
    ...Array.from({ length: 30 }, (_, number) =>
      call('POST', '', {
        ...ruleOf(`allow publish {slug}/${number}`),
        ...(number % 2 === 0 && { before_id: ids[5 + (number % 5)] }),
      }),
    ),
    ...gone.map((id) => call('DELETE', `/${id}`)),
    ...ids.slice(5).map((id) => call('PATCH', `/${id}`, { permission: 'deny' })),
    ...Array.from({ length: 10 }, (_, turn) =>
      call('PUT', '/reorder', { acl_ids: turn % 2 === 0 ? ids : ids.toReversed() }),
    ),
  ])
  const added = responses.slice(0, 30)
  assert.ok(added.every(({ status }) => status === 201))
  assert.ok(responses.slice(30, 40).every(({ status }) => status === 204 || status === 200))
  assert.ok(responses.slice(40).every(({ status }) => status === 200 || status === 409))
  const { items } = (await call('GET')).body
  assert.deepEqual(
    items.map(({ position }: { position: number }) => position),
    Array.from({ length: 35 }, (_, index) => index + 1),
  )
  assert.deepEqual(
    items.map(({ id }: { id: string }) => id).toSorted(byText),
    [...ids.slice(5), ...added.map(({ body }) => body.id as string)].toSorted(byText),
  )
  const denied = items.filter(({ permission }: { permission: string }) => permission === 'deny')
  assert.equal(denied.length, 5)
  const orders = await Promise.all(
    Array.from({ length: 20 }, (_, turn) => {
      const now = items.map(({ id }: { id: string }) => id)
      return call('PUT', '/reorder', { acl_ids: turn % 2 === 0 ? now : now.toReversed() })
    }),
  )
  assert.ok(orders.every(({ status }) => status === 200))
})

test('a list has at most a hundred rules, also with concurrent requests', async (t) => {
  const app = await freshTenants(t)
  const device = await OWNERS.device(app)
  const call = aclsOf(app, device)
  const at = '2026-01-01T00:00:00.000Z'
  await app.database.pool.query(
    `INSERT INTO device_acls (workspace_id, device_id, rules)
     SELECT workspace_id, id, (
       SELECT jsonb_agg(jsonb_build_object('id', gen_random_uuid(), 'action', 'publish',
         'topic', '{slug}/' || n, 'permission', 'allow', 'created_at', $2::text,
         'updated_at', $2::text)) FROM generate_series(1, 98) n)
     FROM devices WHERE workspace_id = $1`,
    [app.seed.uuid, at],
  )
  const tries = Array.from({ length: 6 }, (_, number) =>
    call('POST', '', ruleOf(`allow publish {slug}/more-${number}`)),
  )
  const responses = await Promise.all(tries)
  assert.equal(responses.filter(({ status }) => status === 201).length, 2)
  const refused = responses.find(({ status }) => status !== 201)
  assert.deepEqual(
    [refused?.status, refused?.body.code, refused?.body.limit],
    [409, 'limit_reached', { name: 'acls', value: 100 }],
  )
  const rules = Array.from({ length: 101 }, (_, n) => ruleOf(`allow publish {slug}/${n}`))
  const shown = await call('POST', '/effect', { rules })
  assert.deepEqual([shown.status, shown.body.code], [409, 'limit_reached'])
})

test('members change rules, viewers read them', async (t) => {
  const app = await freshTenants(t)
  const device = await OWNERS.device(app)
  const person = async (role: string): Promise<Headers> =>
    as.user((await seedUser(app, { [app.seed.uuid]: role })).token)
  const [rule] = await addRules(
    aclsOf(app, device, await person('member')),
    'deny publish {slug}/a',
  )
  const viewer = aclsOf(app, device, await person('viewer'))
  assert.equal((await viewer('GET')).body.items.length, 1)
  const body = ruleOf('allow publish {slug}/a')
  const tries = [
    viewer('POST', '', body),
    viewer('PATCH', `/${rule.id}`, body),
    viewer('DELETE', `/${rule.id}`),
    viewer('PUT', '/reorder', { acl_ids: [rule.id] }),
  ]
  for (const { status, body: problem } of await Promise.all(tries)) {
    assert.deepEqual([status, problem.code], [403, 'permission_denied'])
  }
})

test('a rule is found below its own owner only', async (t) => {
  const app = await freshTenants(t)
  const [one, other] = [await OWNERS.device(app), await OWNERS.device(app)]
  const [rule] = await addRules(aclsOf(app, one), 'allow publish {slug}/a')
  const call = aclsOf(app, other)
  assert.equal((await call('DELETE', `/${rule.id}`)).body.code, 'acl_not_found')
  const unknown = aclsOf(app, `mqp_${'0'.repeat(26)}`)
  assert.equal((await unknown('GET')).body.code, 'mqtt_principal_not_found')
  assert.equal((await unknown('POST', '', ruleOf('deny publish {slug}/a'))).status, 404)
})
