/** Requests by number: valid ones of an operation, and invalid ones. */
import { BASE_PATH } from '../../src/platform/http/operation.ts'
import { Bodies, breakText, type Members, rowsOf, textOf } from './bodies.ts'
import { type Sender, sentBy } from './credentials.ts'
import type { Document, Target } from './document.ts'
import { type Random, randomOf, weighted } from './random.ts'
import type { FuzzCredential } from './service.ts'
import { HEADERS, MEDIA_TYPES, MEMBERS, QUERIES, SEGMENTS, TEXTS } from './texts.ts'
import { filterOf, Values } from './values.ts'
import type { World } from './world.ts'

export interface Draft {
  target: Target
  method: string
  path: string
  /** Percent-encoded `name=value`. */
  query: string[]
  headers: [name: string, value: string][]
  body: Buffer | undefined
  sender: Sender
  /** The only one that is sent; undefined for none. */
  credential: FuzzCredential | undefined
  kind: Kind
  /** Whether it may lead to another operation, or to none. */
  isStray: boolean
  /** How many are sent at once. */
  copies: number
}

const kinds = {
  plain: 30,
  twice: 4,
  'repeated key': 4,
  query: 10,
  'unknown parameter': 3,
  path: 5,
  header: 10,
  method: 2,
  member: 16,
  'missing member': 3,
  'unknown member': 3,
  text: 8,
  'media type': 4,
  bytes: 1,
} as const
export type Kind = keyof typeof kinds

export const requestKinds = Object.keys(kinds) as Kind[]

const needsBody: ReadonlySet<Kind> = new Set(['member', 'missing member', 'unknown member', 'text'])
const MAX_KEYS = 500
const LARGE = Buffer.alloc(1_100_000, '{"name":"')

/** A request that costs a password hash each time is sent less often. */
const weightOf = ({ bucket, id }: Target): number =>
  bucket === 'auth' || /password|totp|recovery/i.test(id) ? 0.2 : 1

const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

function freshKey(random: Random): string {
  return Array.from({ length: 5 }, () => random.below(2 ** 32).toString(36))
    .join('-')
    .padEnd(36, 'k')
}

export class Requests {
  readonly #pick: (random: Random) => Target
  readonly #kinds: ReadonlyMap<Target, (random: Random) => Kind>
  readonly #values: Values
  readonly #bodies: Bodies

  constructor(document: Document, isChosen: (target: Target) => boolean) {
    const targets = document.targets.filter(isChosen)
    if (targets.length === 0) throw new Error('there is no such operation')
    this.#pick = weighted(targets, weightOf)
    this.#kinds = new Map(
      targets.map((target) => {
        const isFit = (kind: Kind) => target.bodies.length > 0 || !needsBody.has(kind)
        return [target, weighted(requestKinds.filter(isFit), (kind) => kinds[kind])]
      }),
    )
    this.#values = new Values(document)
    this.#bodies = new Bodies(document, this.#values)
  }

  /** The same for the same seed and number, but for what the world has learned. */
  draft(seed: number, number: number, world: World): Draft {
    const random = randomOf(seed, number)
    const target = this.#pick(random)
    const kind = (this.#kinds.get(target) as (random: Random) => Kind)(random)
    const { sender, headers, credential } = sentBy(target, random, world)
    const draft: Draft = {
      target,
      method: target.method,
      path: this.#path(target, sender, random, world),
      query: this.#query(target, random, world),
      headers,
      body: undefined,
      sender,
      credential,
      kind,
      isStray: false,
      copies: kind === 'twice' ? 2 + random.below(3) : 1,
    }
    this.#addBody(draft, random, world)
    this.#addHeaders(draft, random, world)
    this.#change(draft, random, world)
    return draft
  }

  #path({ path, inPath }: Target, sender: Sender, random: Random, world: World): string {
    const { foreignIds } = world.tenant
    const filled = path.replaceAll(/\{([a-z_]+)\}/g, (_whole, name: string) => {
      const schema = inPath.find((each) => each.name === name)?.schema ?? {}
      const value = String(this.#values.of(schema, name, random, world))
      const isForeign = sender === 'other workspace' ? 0.2 : 0.03
      const prefix = `${value.split('_', 1)[0]}_`
      const foreign = foreignIds.find((id) => id.startsWith(prefix))
      return foreign !== undefined && random.chance(isForeign) ? foreign : value
    })
    return BASE_PATH + filled
  }

  #query({ inQuery }: Target, random: Random, world: World): string[] {
    return inQuery
      .filter(({ isRequired }) => isRequired || random.chance(0.25))
      .map(({ name, schema }) => {
        if (name === 'wait') return `wait=${random.chance(0.1) ? 1 : 0}`
        const value = this.#values.of(schema, name, random, world)
        return `${name}=${encode(String(value))}`
      })
  }

  #addBody(draft: Draft, random: Random, world: World): void {
    const { target, kind } = draft
    if (target.bodies.length === 0) return
    const { type } = random.pick(target.bodies)
    const isRows = type !== 'application/json'
    const row = (): Members => {
      const members = this.#bodies.members(target, random, world)
      if (kind === 'member') this.#bodies.spoil(target, members, random)
      if (kind === 'unknown member') this.#bodies.addUnknown(members, random)
      if (kind === 'missing member') members.splice(random.below(members.length + 1), 1)
      return members
    }
    const text = isRows ? rowsOf(type, Array.from({ length: random.below(8) }, row)) : textOf(row())
    draft.body = kind === 'text' ? breakText(text, random) : Buffer.from(text)
    draft.headers.push(['Content-Type', type])
  }

  #addHeaders({ target, kind, headers }: Draft, random: Random, world: World): void {
    if (target.method === 'POST' && (kind === 'repeated key' || random.chance(0.1))) {
      const isOld = kind === 'repeated key' && world.keys.length > 0 && random.chance(0.8)
      const key = isOld ? random.pick(world.keys) : freshKey(random)
      if (!isOld) world.keys.push(key)
      if (world.keys.length > MAX_KEYS) world.keys.shift()
      headers.push(['Idempotency-Key', key])
    }
    if (world.etags.length > 0 && random.chance(0.05)) {
      const name = target.method === 'GET' ? 'If-None-Match' : 'If-Match'
      headers.push([name, random.pick(world.etags)])
    }
  }

  #change(draft: Draft, random: Random, world: World): void {
    const { target, headers } = draft
    switch (draft.kind) {
      case 'query':
        this.#changeQuery(draft, random, world)
        break
      case 'unknown parameter':
        draft.query.push(
          random.chance(0.3) ? `${encode(random.pick(MEMBERS))}=1` : random.pick(QUERIES),
        )
        break
      case 'path':
        changePath(draft, random)
        break
      case 'header':
        for (let left = 1 + random.below(2); left > 0; left -= 1) {
          headers.push([...random.pick(HEADERS)])
        }
        break
      case 'method':
        draft.method = random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
        draft.isStray = draft.method !== target.method
        break
      case 'media type':
        draft.body ??= Buffer.from(random.pick(['{}', 'x', '']))
        draft.headers = headers.filter(([name]) => name !== 'Content-Type')
        if (random.chance(0.9)) draft.headers.push(['Content-Type', random.pick(MEDIA_TYPES)])
        break
      case 'bytes':
        draft.body = random.chance(0.1) ? LARGE : Buffer.from(random.pick(TEXTS))
        draft.headers.push(['Content-Type', 'application/json'])
        break
      default:
    }
  }

  #changeQuery(draft: Draft, random: Random, world: World): void {
    const { inQuery } = draft.target
    if (inQuery.length === 0) return void draft.query.push(random.pick(QUERIES))
    const { name, schema } = random.pick(inQuery)
    const kind = random.below(4)
    const cursor = name === 'cursor' ? world.text('cursor', random) : undefined
    if (cursor !== undefined && kind < 3) {
      const at = random.below(cursor.length)
      draft.query.push(
        `cursor=${cursor.slice(0, at)}${random.pick('Aa0_.-%'.split(''))}${cursor.slice(at + 1)}`,
      )
    } else if (name === 'filter') {
      draft.query.push(`filter=${encode(filterOf(schema.description, random, world))}`)
    } else if (name === 'wait' && kind > 0) draft.query.push('wait=31')
    else {
      const value = JSON.parse(safe(this.#values.hostile(schema, random))) as unknown
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      draft.query.push(`${name}=${encode(text).slice(0, 6_000)}`)
    }
    if (draft.query.length > 1 && random.chance(0.7)) {
      const kept = draft.query.at(-1) as string
      draft.query = draft.query.filter((each) => each === kept || !each.startsWith(`${name}=`))
    }
  }
}

/** Some of what is hostile in JSON is none; as a text it is as good. */
function safe(json: string): string {
  try {
    JSON.parse(json)
    return json
  } catch {
    return JSON.stringify(json)
  }
}

function changePath(draft: Draft, random: Random): void {
  draft.isStray = true
  const parts = draft.path.split('/')
  const ids = parts.flatMap((part, at) => (at > 2 && /_[0-7]|^\d+$/.test(part) ? [at] : []))
  const kind = random.below(8)
  if (kind === 0) draft.path += '/'
  else if (kind === 1) draft.path = draft.path.toUpperCase()
  else if (kind === 2)
    draft.path = draft.path.replace('/api/v1', random.pick(['', '/api', '/api/v2', '//api/v1']))
  else if (ids.length > 0) {
    const at = random.pick(ids)
    const id = parts[at] as string
    const near = [id.toUpperCase(), `${id}0`, id.slice(0, -1), `%${id}`, '', id.replace('_', '-')]
    parts[at] = random.chance(0.5) ? random.pick(SEGMENTS) : random.pick(near)
    draft.path = parts.join('/')
  } else draft.path += random.pick([...SEGMENTS, '?', '#x', '%20', '/x'])
}

/** The bytes of a request. */
export function bytesOf({ method, path, query, headers, body }: Draft): Buffer {
  const isHostSet = headers.some(([name]) => name === 'Host')
  const target = query.length === 0 ? path : `${path}?${query.join('&')}`
  const fields = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const host = isHostSet ? '' : 'Host: 127.0.0.1\r\n'
  const length = body === undefined ? '' : `Content-Length: ${body.length}\r\n`
  const head = `${method} ${target} HTTP/1.1\r\n${host}${fields}${length}\r\n`
  return body === undefined
    ? Buffer.from(head, 'latin1')
    : Buffer.concat([Buffer.from(head, 'latin1'), body])
}
