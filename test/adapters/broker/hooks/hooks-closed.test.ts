/** The broker hooks in failures: no broker reads any response as an acceptance. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import type { HookFault } from '../../../../src/adapters/broker/hooks/hook.ts'
import type { RemoteAuthority } from '../../../../src/adapters/broker/external-port.ts'
import { basic, bearer, brokerNamed, brokers, newSecret, post } from './ask-hooks.ts'
import { form } from './contract.ts'
import { contracts } from './contracts.ts'
import { generous, listen } from './listen-hooks.ts'

const unable: RemoteAuthority = {
  ...generous,
  connect: () => Promise.reject(new Error('the database is away')),
  authorize: () => {
    throw new Error('the database is away')
  },
}

const silent: RemoteAuthority = {
  ...generous,
  connect: () => new Promise(() => {}),
  authorize: () => new Promise(() => {}),
}

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

for (const { kind, probe, letsIn, needsDeny } of contracts) {
  const { path, body, headers } = probe
  const [secret = '', older = ''] = brokerNamed(kind).hook_secrets
  const asBody = (fields: Record<string, unknown>): Record<string, unknown> | string =>
    probe.isForm ? form(fields as Record<string, string>) : fields
  /** @returns whether anything would be let in. */
  const ask = async (
    origin: string,
    credential: Record<string, string>,
    sent: Record<string, unknown> | string = asBody(body),
    name = kind,
  ): Promise<boolean> => {
    const response = await post(`${origin}/hooks/${name}/${path}`, sent, {
      ...headers,
      ...credential,
    })
    if (needsDeny) assert.equal(response.status, 200)
    return letsIn(response)
  }

  describe(`the hooks of ${kind}`, () => {
    test('take each of the secrets, as Bearer and as the password of Basic', async (t) => {
      const { origin } = await listen(t)
      for (const credential of [bearer(secret), basic(secret), bearer(older), basic(older)]) {
        assert.equal(await ask(origin, credential), true)
      }
    })

    test('are closed to clients without the secret of this very broker', async (t) => {
      const { origin, received } = await listen(t)
      const [outsider = ''] = brokers.find((each) => each.kind !== kind)?.hook_secrets ?? []
      const wrong = [
        {},
        bearer(outsider),
        basic(outsider),
        bearer(newSecret()),
        bearer(''),
        bearer(secret.slice(1)),
        bearer(`${secret}x`),
        { authorization: secret },
        { authorization: `Basic ${secret}` },
        { authorization: `Bearer ${secret} ${secret}` },
        { 'x-api-key': secret },
      ]
      for (const credential of wrong) {
        assert.equal(await ask(origin, credential), false, JSON.stringify(credential))
      }
      for (const name of ['unknown', '__proto__', `${kind}x`, '%00', '..%2Fhealthz']) {
        assert.equal(await ask(origin, bearer(secret), undefined, name), false, name)
      }
      assert.equal(received.length, 1, 'a flood is logged as one line')
      assert.equal(
        received.some((line) => line.includes(secret)),
        false,
      )
    })

    test('are closed to a broker of another kind', async (t) => {
      const { origin } = await listen(t)
      for (const other of brokers.filter((each) => each.kind !== kind)) {
        const credential = bearer(other.hook_secrets[0] as string)
        assert.equal(await ask(origin, credential, undefined, other.name), false)
      }
    })

    test('refuse unreadable requests', async (t) => {
      const { origin } = await listen(t)
      const good = asBody(body)
      const validType = typeof good === 'string' ? FORM : JSON_TYPE
      const texts = [
        '',
        'null',
        '[]',
        '{',
        '{"username":"u","username":"u"}',
        '{"username":null}',
        '{"username":["u"]}',
        '{"username":"\\u0000"}',
        'username=u&username=u&vhost=%2F&client_id=u',
        'username=%FF&vhost=%2F&client_id=u',
        'username=u%&vhost=%2F&client_id=u',
        'vhost=%2F&client_id=u',
        'x'.repeat(2_000_000),
        JSON.stringify({ ...body, padding: 'x'.repeat(2_000_000) }),
      ]
      for (const type of [validType, 'text/plain', '', 'application/octet-stream']) {
        const credential = { ...bearer(secret), 'content-type': type }
        for (const text of texts) {
          if (text.length > 100_000 && type !== validType) continue
          assert.equal(await ask(origin, credential, text), false, `${type} ${text.slice(0, 99)}`)
        }
      }
      const withType = { ...bearer(secret), 'content-type': validType }
      const validText = typeof good === 'string' ? good : JSON.stringify(good)
      assert.equal(await ask(origin, withType, validText), true)
      for (const method of ['GET', 'PUT', 'HEAD', 'DELETE']) {
        const url = `${origin}/hooks/${kind}/${path}`
        const { status } = await fetch(url, { method, headers: { ...bearer(secret), ...headers } })
        assert.equal(status, 404, method)
      }
    })

    test('refuse when nothing can be decided, at once or in time', async (t) => {
      const away = await listen(t, { authority: unable })
      assert.equal(await ask(away.origin, bearer(secret)), false)
      assert.ok(away.received.some((line) => line.startsWith('a hook could not decide')))
      const slow = await listen(t, { authority: silent, deadlineMs: 30 })
      assert.equal(await ask(slow.origin, bearer(secret)), false)
    })

    test('refuse requests when too many wait', async (t) => {
      const { origin, received } = await listen(t, {
        authority: silent,
        deadlineMs: 500,
        undecidedLimit: 2,
      })
      const asked = Array.from({ length: 5 }, () => ask(origin, bearer(secret)))
      assert.deepEqual(await Promise.all(asked), Array(5).fill(false))
      // Both are never decided: their places stay taken.
      assert.equal(await ask(origin, bearer(secret)), false)
      assert.ok(
        received.some((line) => line.startsWith('a hook received too many requests at once')),
      )
    })

    test('follow the brokers file, and a secret rotates without a gap', async (t) => {
      const { origin, change } = await listen(t)
      const next = newSecret()
      const entry = brokerNamed(kind)
      const withSecrets = (hook_secrets: string[]) => change([{ ...entry, hook_secrets }])
      withSecrets([next, secret])
      assert.deepEqual(
        [await ask(origin, bearer(next)), await ask(origin, bearer(secret))],
        [true, true],
      )
      withSecrets([next])
      assert.deepEqual(
        [await ask(origin, bearer(next)), await ask(origin, bearer(secret))],
        [true, false],
      )
      change([])
      assert.equal(await ask(origin, bearer(next)), false)
    })
  })
}

test('a login that is made for it is answered badly, by a broker that is known', async (t) => {
  const faultOf = (username: string, password: string): HookFault | undefined =>
    password === 'signed' ? (username as HookFault) : undefined
  const { origin } = await listen(t, { faultOf })
  for (const { kind, probe, allowsByStatus } of contracts) {
    const [secret = ''] = brokerNamed(kind).hook_secrets
    const asked = (username: string, password: string, credential = bearer(secret)) => {
      const fields = { ...probe.body, username, password }
      const body = probe.isForm ? form(fields) : fields
      return post(`${origin}/hooks/${kind}/${probe.path}`, body, {
        ...probe.headers,
        ...credential,
      }).then(
        ({ status, text }) => `${status} ${text}`,
        () => 'dropped',
      )
    }
    assert.equal(await asked('error', 'signed'), '500 a deliberate error', kind)
    // Where the status alone is a yes, there is no senseless 200.
    const status = allowsByStatus ? 503 : 200
    assert.equal(await asked('empty', 'signed'), `${status} `, kind)
    assert.equal(await asked('garbage', 'signed'), `${status} {"result":`, kind)
    assert.equal(await asked('drop', 'signed'), 'dropped', kind)
    for (const sound of [
      await asked('drop', 'unsigned'),
      await asked('drop', 'signed', bearer(newSecret())),
    ]) {
      assert.ok(sound !== 'dropped' && !sound.startsWith('500'), `${kind}: ${sound}`)
    }
  }
})

test('an unauthenticated caller is refused before its body is read, so none of it is held', async (t) => {
  const { origin } = await listen(t)
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  t.after(() => socket.destroy())
  const headers = ['Host: here', 'Content-Type: application/json', 'Content-Length: 200000']
  socket.end(`POST /hooks/nanomq/nanomq/auth HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n{"user`)
  let heard = ''
  for await (const chunk of socket) heard += String(chunk)
  assert.match(heard, /^HTTP\/1\.1 401 /)
})
