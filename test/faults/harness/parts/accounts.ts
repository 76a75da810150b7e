/**
 * People join by an invitation, create something of each kind, and delete their accounts. Of a
 * deletion everything has happened, once, or nothing; one that was acknowledged has happened.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallOptions, type CallResult, type Headers } from '../../../support/app.ts'
import { type Part, whileLoading, type World } from '../world.ts'

interface Person {
  email: string
  /** `usr_…` */
  id: string
  session: Headers
  /** The headers of a key that they have created. */
  key: Headers
  /** Path of an MQTT principal that they have created. */
  login: string
  /** Whether the deletion was acknowledged; undefined if it may have happened. */
  isDeleted?: boolean
}

/** @returns undefined if the outcome is unknown */
type Send = (method: string, path: string, options: CallOptions) => Promise<CallResult | undefined>

const ACCOUNT = '/console/api/account'
const PASSWORD = 'seventeen brown kettles'
/** People who have joined before a round: joining takes longer than many a service lives. */
const READY = 4
/** One of them stays. */
const STAYING = 0
const LONGEST_WAIT_MS = 800

/**
 * The rows of a person, and of the resources that they have created. $1 is the UUID, $2 the id, $3
 * the address.
 */
const LEFT = `
  SELECT (SELECT count(*)::int FROM users WHERE id = $1 AND email = $3) AS account,
    (SELECT count(*)::int FROM memberships WHERE user_id = $1) AS membership,
    (SELECT count(*)::int FROM user_sessions WHERE user_id = $1) AS session,
    (SELECT count(*)::int FROM api_keys WHERE created_by = $2 AND revoked_at IS NULL) AS key,
    (SELECT count(*)::int FROM mqtt_principals
     WHERE created_by = $2 AND status = 'active') AS login,
    (SELECT count(*)::int FROM invitations
     WHERE created_by = $2 AND status = 'pending') AS invitation`

/** The table that records the deletion. */
const RECORDS = `
  SELECT (SELECT count(*)::int FROM audit_log
     WHERE resource_id = $2 AND action = 'account.deleted') AS audited,
    (SELECT count(*)::int FROM audit_log
     WHERE resource_id = $2 AND action = 'member.removed') AS removed,
    (SELECT count(*)::int FROM events
     WHERE type = 'member.removed' AND data ->> 'user_id' = $2) AS event,
    (SELECT count(*)::int FROM mail_outbox
     WHERE recipient = $3 AND subject LIKE 'Your account was deleted%') AS mail
  WHERE $1::uuid IS NOT NULL`

export class Accounts implements Part {
  readonly #world: World
  /** Headers of an owner of the workspace. */
  readonly #owner: Headers
  #people: Person[] = []
  #names = 0

  constructor(world: World, owner: Headers) {
    this.#world = world
    this.#owner = owner
  }

  /** Before each round: people who can delete their accounts in it. */
  async prepare(): Promise<void> {
    const joining = Array.from({ length: READY }, () =>
      this.#join(async (method, path, options) => {
        const response = await this.#world.ask(method, path, options)
        if (response.status < 300) return response
        this.#world.violate(`${method} ${path} was answered with ${response.text}`)
        return undefined
      }),
    )
    this.#people = (await Promise.all(joining)).flatMap((person) => person ?? [])
  }

  load(): Promise<unknown> {
    const random = this.#world.random(10)
    const joins = whileLoading(this.#world, 10, async () => {
      const person = await this.#join((method, path, options) =>
        this.#world.send('join', method, path, options),
      )
      if (person !== undefined) this.#people.push({ ...person, isDeleted: false })
    })
    return Promise.all([joins, this.#leave(random)])
  }

  async #leave(random: () => number): Promise<void> {
    const leaving = this.#people.map(async (person, at) => {
      // Anyone who has not asked is sure to be there.
      person.isDeleted = false
      await sleep(random() * LONGEST_WAIT_MS)
      if (at === STAYING || !this.#world.isLoading) return
      delete person.isDeleted
      const options = { as: person.session, body: { confirm: person.email } }
      const gone = await this.#world.send('deletion', 'DELETE', ACCOUNT, options)
      if (gone !== undefined) person.isDeleted = true
    })
    await Promise.all(leaving)
  }

  /** @returns undefined if not all of it was acknowledged */
  async #join(send: Send): Promise<Person | undefined> {
    const { seed, round, place } = this.#world
    const { path } = place
    this.#names += 1
    const email = `p${seed}-${round}-${this.#names}@example.com`
    const post = async (to: string, sender: Headers, body?: object) =>
      (await send('POST', to, { as: sender, ...(body && { body }) }))?.body
    const to = { email, role: 'admin' }
    const invited = await post(`${path}/invitations`, this.#owner, to)
    if (invited === undefined) return undefined
    const shown = await post(`/console/api${path}/invitations/${invited.id}/link`, this.#owner)
    if (shown === undefined) return undefined
    const token = String(shown.url).split('#token=')[1]
    const choice = { token, name: 'Grace', password: PASSWORD }
    const joined = await post('/console/api/invitations/join', {}, choice)
    if (joined === undefined) return undefined
    const session = as.user(String(joined.access_token))
    const me = (await send('GET', '/auth/me', { as: session }))?.body
    const key = await post(`${path}/api-keys`, session, { key_kind: 'platform' })
    const login = await post(`${path}/mqtt/principals`, session, { name: email })
    const guest = { email: `of-${email}`, role: 'viewer' }
    const guests = await post(`${path}/invitations`, session, guest)
    if ([me, key, login, guests].includes(undefined)) return undefined
    return {
      email,
      id: String(me.id),
      session,
      key: as.platformKey(String(key.key)),
      login: `${path}/mqtt/principals/${login.id}`,
    }
  }

  async check(): Promise<void> {
    for (const person of this.#people) {
      const isGone = await this.#isGone(person)
      if (isGone === undefined) continue
      await this.#examineAccess(person, isGone)
      if (!isGone) await this.#deleteAfterwards(person)
      await this.#world.ask('DELETE', person.login)
    }
    // A workspace may invite some hundred people a day; the rounds of a day are more.
    await this.#world.rows('DELETE FROM invitations')
    await this.prepare()
  }

  /** As somebody does who has heard nothing; and who has stayed leaves in peace. */
  async #deleteAfterwards(person: Person): Promise<void> {
    const { session, email, id } = person
    const body = { confirm: email }
    const gone = await this.#world.ask('DELETE', ACCOUNT, { as: session, body })
    if (gone.status !== 204) this.#world.violate(`${id} cannot be deleted: ${gone.text}`)
    else if (await this.#isGone({ ...person, isDeleted: true })) {
      await this.#examineAccess(person, true)
    }
  }

  /** @returns undefined if that is a violation */
  async #isGone({ id, email, isDeleted }: Person): Promise<boolean | undefined> {
    const values = [parseId('usr', id), id, email]
    const count = async (sql: string): Promise<Record<string, number>> =>
      (await this.#world.rows<Record<string, number>>(sql, values))[0] ?? {}
    const [left, records] = [await count(LEFT), await count(RECORDS)]
    const isAll = (counts: Record<string, number>, wanted: number): boolean =>
      Object.values(counts).every((each) => each === wanted)
    if (isAll(left, 0) && isAll(records, 1) && isDeleted !== false) return true
    if (isAll(left, 1) && isAll(records, 0) && isDeleted !== true) return false
    const counts = JSON.stringify({ ...left, ...records })
    this.#world.violate(`${id}, deleted: ${isDeleted ?? 'unknown'}, has ${counts}`)
    return undefined
  }

  /** Whether the session and the key are accepted, as they should be. */
  async #examineAccess({ id, session, key }: Person, isGone: boolean): Promise<void> {
    const { path } = this.#world.place
    for (const [what, sender, at] of [
      ['session', session, '/auth/me'],
      ['key', key, path],
    ] as const) {
      const { status } = await this.#world.ask('GET', at, { as: sender })
      if (status === (isGone ? 401 : 200)) continue
      this.#world.violate(`the ${what} of ${id}, ${isGone ? 'gone' : 'there'}, got ${status}`)
    }
  }
}
