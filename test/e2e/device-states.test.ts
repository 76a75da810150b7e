/**
 * Walks at random through the life of devices, several at once: every act does what the model says,
 * every refusal changes nothing, and each act that happened has exactly its event and its audit
 * entry. MOORING_TEST_STEPS says how many steps; CI asks for more than a quick run does.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unnamed } from '../../src/platform/database/connect.ts'
import { parseId } from '../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../support/app.ts'
import {
  auditOnly,
  fresh,
  outcomeOf,
  ownVerbs,
  type RemoteVerb,
  remoteVerbs,
  type State,
  type Verb,
} from '../support/device-model.ts'
import { tryConnect } from '../support/mqtt.ts'
import { randomFrom } from '../support/random.ts'
import { useTenants } from '../support/suite-app.ts'
import { until } from '../support/until.ts'

const freshTenants = useTenants()

const STEPS = Number(process.env.MOORING_TEST_STEPS ?? 600)
const LANES = 6
const SEED = process.env.MOORING_TEST_STEPS === undefined ? 20 : Date.now() % 1_000_000

interface Keys {
  plain: string
  careful: string
}

class Lane {
  readonly #t: Parameters<typeof freshTenants>[0]
  readonly #app: TestApp
  readonly #keys: Keys
  readonly #name: string
  readonly #random: () => number
  #state: State = { ...fresh('approved'), exists: false }
  #id = ''
  #password = ''
  #token = ''
  #expected: string[] = []
  #trail: string[] = []
  #devices = 0
  refusals = 0

  constructor(t: Parameters<typeof freshTenants>[0], app: TestApp, keys: Keys, lane: number) {
    this.#t = t
    this.#app = app
    this.#keys = keys
    this.#name = `lane-${lane}`
    this.#random = randomFrom(SEED + lane)
  }

  async walk(steps: number): Promise<void> {
    await this.#begin()
    let left = steps
    while (left > 0) {
      const isPair = this.#state.exists && this.#random() < 0.2
      await (this.#state.exists || this.#random() < 0.3 ? this.#step(isPair) : this.#begin())
      left -= isPair ? 2 : 1
    }
    await this.#settle()
  }

  #where(): string {
    return `seed ${SEED}, ${this.#name}: ${this.#trail.slice(-12).join(' ')}`
  }

  #pick<T>(things: readonly T[]): T {
    return things[Math.floor(this.#random() * things.length)] as T
  }

  /** Ends are rare, except where nothing else is left to do. */
  #verb(): Verb {
    const verb = this.#pick<Verb>([...remoteVerbs, ...ownVerbs, 'connect', 'suspend', 'resume'])
    // Under a free key it would be another device.
    if (verb === 'register' && !this.#state.exists) return 'rotate'
    const isEnd = verb === 'delete' || verb === 'decommission'
    const isOver = this.#state.status === 'decommissioned' && verb === 'delete'
    return isEnd && !isOver && this.#random() < 0.7 ? 'resume' : verb
  }

  /** A device under the same key as the ones before, once the last is gone. */
  async #begin(): Promise<void> {
    if (this.#id !== '') await this.#settle()
    const isCareful = this.#random() < 0.4
    const key = isCareful ? this.#keys.careful : this.#keys.plain
    const response = await this.#register(key)
    assert.equal(response.status, 201, `${this.#where()} ${response.text}`)
    this.#id = response.body.device_id
    this.#keep(response.body)
    this.#state = fresh(isCareful ? 'pending' : 'approved')
    this.#expected = ['device.registered']
    this.#trail.push(`| ${this.#devices++} registered`)
  }

  #register(key: string) {
    const body = { device_key: this.#name, template_id: this.#app.seed.template.id }
    return this.#app.call('POST', '/provision/device', { as: as.factory(key), body })
  }

  #keep(body: { mqtt_password?: string; device_http_token?: string }): void {
    this.#password = body.mqtt_password ?? this.#password
    this.#token = body.device_http_token ?? this.#token
  }

  async #step(isPair: boolean): Promise<void> {
    if (isPair) return this.#pair()
    const verb = this.#verb()
    const { code, records, next } = outcomeOf(verb, this.#state)
    this.#trail.push(verb)
    const before = await this.#row()
    const isKnown = (ownVerbs as readonly Verb[]).includes(verb)
    const { status, text } = await (isKnown ? this.#own(verb) : this.#remote(verb as RemoteVerb))
    assert.equal(status, code, `${this.#where()} -> ${text}`)
    this.#expected.push(...records)
    if (code === 409 && verb !== 'register' && verb !== 'claim') this.#requireBoth(verb, text)
    const after = await this.#row()
    if (records.length === 0) assert.deepEqual(after, before, this.#where())
    this.#state = next
    this.#requireState(after)
  }

  /** Two acts at once are two acts in one of both orders. */
  async #pair(): Promise<void> {
    const pick = (): RemoteVerb => this.#pick(remoteVerbs.filter((verb) => verb !== 'register'))
    const verbs = [pick(), pick()] as const
    this.#trail.push(`(${verbs.join(' ')})`)
    const responses = await Promise.all(verbs.map((verb) => this.#remote(verb)))
    const after = await this.#row()
    const fits = [
      [0, 1],
      [1, 0],
    ].flatMap((order) => {
      let state = this.#state
      const records: string[] = []
      for (const index of order) {
        const outcome = outcomeOf(verbs[index] as Verb, state)
        if (outcome.code !== responses[index]?.status) return []
        records.push(...outcome.records)
        state = outcome.next
      }
      return after?.status === (state.exists ? state.status : undefined) ? [{ state, records }] : []
    })
    const [first] = fits
    const said = responses.map(({ status, text }) => `${status} ${text.slice(0, 300)}`).join(' | ')
    assert.ok(first, `${this.#where()} leaves the state ${JSON.stringify(after)}: ${said}`)
    this.#state = first.state
    this.#expected.push(...first.records)
    this.#requireState(after)
  }

  #requireBoth(verb: Verb, text: string): void {
    this.refusals += 1
    const { code, detail } = JSON.parse(text)
    assert.equal(code, 'invalid_transition', this.#where())
    const { status, approval } = this.#state
    const isDecision = verb === 'approve' || verb === 'reject'
    const isLive = status === 'registered' || status === 'active'
    const named = isDecision && isLive ? approval : status
    assert.match(
      detail,
      new RegExp(
        `^The device is ${named}(?:; .*(?:cannot|no command can) become | and cannot get credentials)`,
      ),
      this.#where(),
    )
  }

  #requireState(row: Record<string, unknown> | undefined): void {
    const { exists, status, before, approval, claimed } = this.#state
    const { revision: _revision, secret_generation: _generation, ...seen } = row ?? {}
    assert.deepEqual(
      seen,
      exists
        ? { status, suspended_from: status === 'suspended' ? before : null, approval, claimed }
        : {},
      this.#where(),
    )
  }

  async #row(): Promise<Record<string, unknown> | undefined> {
    const rows = await this.#app.database.query<Record<string, unknown>>(
      unnamed(`SELECT status, suspended_from, approval, claimed_at IS NOT NULL AS claimed, revision,
                      secret_generation FROM devices WHERE id = $1`),
      [parseId('dev', this.#id)],
    )
    return rows[0]
  }

  async #remote(verb: RemoteVerb) {
    const { call, seed } = this.#app
    const staff = as.platformKey(seed.platformKey)
    const path = `/workspaces/${seed.id}/devices/${this.#id}`
    if (verb === 'register') {
      return this.#register(this.#keys.plain)
    }
    if (verb === 'rotate') {
      const factory = as.factory(this.#keys.plain)
      const body = { device_id: this.#id }
      const response = await call('POST', '/provision/device', { as: factory, body })
      this.#keep(response.body)
      return response
    }
    if (verb === 'delete') return call('DELETE', path, { as: staff })
    const below = verb === 'reset' ? 'credentials/reset' : verb === 'command' ? 'commands' : verb
    const body = verb === 'command' ? { name: 'x', timeout_s: 1 } : {}
    const response = await call('POST', `${path}/${below}`, { as: staff, body })
    this.#keep({
      mqtt_password: response.body?.mqtt_credentials?.password,
      device_http_token: response.body?.device_http_token,
    })
    return response
  }
  async #own(verb: Verb): Promise<{ status: number; text: string }> {
    const { call, app } = this.#app
    const device = as.device(this.#token)
    if (verb === 'release') return call('DELETE', '/devices/auth/claim', { as: device })
    if (verb === 'claim') return this.#claim()
    const { code, client } = await tryConnect(this.#t, {
      device_id: this.#id,
      mqtt_password: this.#password,
      mqtt_port: app.ports.mqtt,
    })
    await client.endAsync(true)
    if (code === 0) {
      await until(
        `${this.#where()} is active`,
        async () => (await this.#row())?.status === 'active',
      )
    }
    return { status: code, text: 'CONNACK' }
  }

  async #claim(): Promise<{ status: number; text: string }> {
    const { call, seed } = this.#app
    const session = await call('POST', '/moid/session', { body: { workspace_id: seed.id } })
    const phone = as.phone(session.body.access_token)
    const claim = await call('POST', '/moid/claims', { as: phone, body: {} })
    return call('POST', '/devices/auth/bind-claim', {
      as: as.device(this.#token),
      body: { claim_code: claim.body.claim_code },
    })
  }

  /** Everything that happened to the device is reported, once, and nothing else. */
  async #settle(): Promise<void> {
    const { database, seed } = this.#app
    const events = await database.query<{ type: string }>(
      unnamed(`SELECT type FROM events WHERE workspace_id = $1 AND subject_id = $2
               AND type LIKE 'device.%' AND type NOT LIKE 'device.%connected'`),
      [seed.uuid, parseId('dev', this.#id)],
    )
    const entries = await database.query<{ type: string }>(
      unnamed(`SELECT action AS type FROM audit_log WHERE workspace_id = $1 AND resource_id = $2
               AND action <> 'access.refused'`),
      [seed.uuid, this.#id],
    )
    const sorted = (rows: readonly { type: string }[]) => rows.map(({ type }) => type).toSorted()
    const expected = this.#expected.toSorted()
    assert.deepEqual(sorted(entries), expected, this.#where())
    const received = expected.filter((type) => !auditOnly.includes(type))
    assert.deepEqual(sorted(events), received, this.#where())
  }
}

test('a random walk finds the documented states, each act with its event and entry', async (t) => {
  const app = await freshTenants(t)
  const response = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
    as: as.platformKey(app.seed.platformKey),
    body: { key_kind: 'provision', name: 'careful', approval: 'required' },
  })
  assert.equal(response.status, 201, response.text)
  const keys = { plain: app.seed.provisionKey, careful: response.body.key }
  const lanes = Array.from({ length: LANES }, (_, index) => new Lane(t, app, keys, index))
  await Promise.all(lanes.map((lane) => lane.walk(STEPS / LANES)))
  const refusals = lanes.reduce((sum, lane) => sum + lane.refusals, 0)
  assert.ok(refusals > STEPS / 20, `${refusals} refusals in ${STEPS} steps`)
})

test('a first connection and a suspension at once leave a state that the events explain', async (t) => {
  const app = await freshTenants(t)
  for (let round = 0; round < 6; round += 1) {
    const { body } = await app.call('POST', '/provision/device', {
      as: as.factory(app.seed.provisionKey),
      body: { template_id: app.seed.template.id },
    })
    const path = `/workspaces/${app.seed.id}/devices/${body.device_id}`
    const act = (verb: string) =>
      app.call('POST', `${path}/${verb}`, { as: as.platformKey(app.seed.platformKey), body: {} })
    const [{ client }, suspended] = await Promise.all([tryConnect(t, body), act('suspend')])
    assert.equal(suspended.body.status, 'suspended', suspended.text)
    await client.endAsync(true)
    const resumed = await act('resume')
    const events = await app.database.query(
      unnamed(`SELECT 1 FROM events WHERE subject_id = $1 AND type = 'device.activated'`),
      [parseId('dev', body.device_id)],
    )
    const isActive = resumed.body.status === 'active'
    if (!isActive) assert.equal(resumed.body.status, 'registered')
    if (isActive) assert.equal(events.length, 1)
  }
})
