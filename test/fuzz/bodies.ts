/** Bodies of requests: members as JSON texts, so that they can be what no serializer writes. */
import type { Document, Json, Schema, Target } from './document.ts'
import type { Random } from './random.ts'
import { JSON_VALUES, MEMBERS } from './texts.ts'
import type { Values } from './values.ts'
import type { World } from './world.ts'

/** Names with their values as they stand in JSON; a name may be there twice. */
export type Members = [name: string, value: string][]

const ID = /^([a-z]{2,4})_[0-7][0-9a-hjkmnp-tv-z]{25}$/
const NAMES = /^(?:name|slug|device_key|hardware_id|model_key|email)$/
const LARGE_BYTES = 1_100_000

const propertiesOf = (schema: Schema): Record<string, Schema> =>
  (schema.properties ?? {}) as Record<string, Schema>

export class Bodies {
  readonly #document: Document
  readonly #values: Values

  constructor(document: Document, values: Values) {
    this.#document = document
    this.#values = values
  }

  /** Ids that are there in place of those of the example, and a name that nothing has yet. */
  #ofExample(name: string, value: unknown, random: Random, world: World): unknown {
    if (typeof value !== 'string') return value
    const prefix = ID.exec(value)?.[1]
    if (prefix !== undefined) return world.id(prefix, random) ?? value
    if (NAMES.test(name))
      return random.chance(0.7) ? `${name.slice(0, 1)}${random.below(1e9)}` : value
    return world.text(name, random) ?? value
  }

  /** The members of a body that may succeed. */
  members(target: Target, random: Random, world: World): Members {
    const [body] = target.bodies
    if (body === undefined) return []
    const schema = this.#document.resolve(body.schema)
    const isExample = random.chance(0.5)
    const whole = isExample
      ? ((body.example ?? {}) as Json)
      : (this.#values.of(schema, '', random, world) as Json)
    return Object.entries(whole).map(([name, value]) => {
      const own = isExample ? this.#ofExample(name, value, random, world) : value
      return [name, JSON.stringify(own)]
    })
  }

  /** Replaces a member, or one inside of it, by a value that it can hardly have. */
  spoil(target: Target, members: Members, random: Random): void {
    const [body] = target.bodies
    const properties = propertiesOf(this.#document.resolve(body?.schema ?? {}))
    const names = Object.keys(properties)
    if (names.length === 0) return void members.push(['x', random.pick(JSON_VALUES)])
    const name = random.pick(names)
    const schema = this.#document.resolve(properties[name] as Schema)
    const items = schema.items as Schema | undefined
    const value = this.#values.hostile(items ?? schema, random)
    const whole = items !== undefined && random.chance(0.7) ? `[${value}]` : value
    const at = members.findIndex(([known]) => known === name)
    if (at < 0) members.push([name, whole])
    else members[at] = [name, whole]
  }

  addUnknown(members: Members, random: Random): void {
    members.push([random.pick(MEMBERS), random.pick(JSON_VALUES)])
  }
}

export const textOf = (members: Members): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`

/** Rows of a stream, or cells of a table. */
export function rowsOf(type: string, rows: readonly Members[]): string {
  if (type !== 'text/csv') return rows.map((row) => `${textOf(row)}\n`).join('')
  const names = [...new Set(rows.flatMap((row) => row.map(([name]) => name)))]
  const cells = rows.map((row) =>
    names.map((name) => row.find(([known]) => known === name)?.[1] ?? '').join(','),
  )
  return `${[names.join(','), ...cells].join('\n')}\n`
}

/** JSON that is none, or is none that a careful reader takes. */
export function breakText(text: string, random: Random): Buffer {
  const whole = Buffer.from(text)
  const cut = random.below(whole.length + 1)
  switch (random.below(9)) {
    case 0:
      return whole.subarray(0, cut)
    case 1:
      return Buffer.from(random.pick(JSON_VALUES))
    case 2:
      return Buffer.concat([Buffer.from('\ufeff'), whole])
    case 3:
      return Buffer.from(text.replace('{', '{"a":1,"a":2,'))
    case 4:
      return Buffer.from(text.replace('{', `{"a":${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)},`))
    case 5:
      return Buffer.from(text, 'utf16le')
    case 6:
      return Buffer.concat([whole, Buffer.from(random.pick(['x', '{}', ',', '\u0000']))])
    case 7:
      return Buffer.from(`{"name":"${'x'.repeat(LARGE_BYTES)}"}`).subarray(
        0,
        random.chance(0.03) ? undefined : 2_000,
      )
    default: {
      const changed = Buffer.from(whole)
      for (let left = 1 + random.below(3); left > 0 && changed.length > 0; left -= 1) {
        changed[random.below(changed.length)] = random.below(256)
      }
      return changed
    }
  }
}
