/**
 * Schemas of the document. A schema whose `title` is a name becomes a component, and so does the
 * body of a request or response, with the name of its operation. All others are inlined.
 */
import { canonicalJson } from '../lib/canonical-json.ts'

export type Json = Record<string, unknown>

export interface SchemaComponents {
  /**
   * The schema as the document shows it: a copy, or a reference to a component.
   * @param name makes it a component if it has no name itself
   */
  use(schema: object, name?: string): unknown
  /** The components so far, by name. */
  all(): Json
}

const NAME = /^[A-Z][A-Za-z0-9]*$/

const nameOf = (value: object): string | undefined => {
  const { title } = value as { title?: unknown }
  return typeof title === 'string' && NAME.test(title) ? title : undefined
}

/** Client generators need the type of an enumeration. */
function withType(schema: Json): Json {
  const { enum: values } = schema
  const ofTexts = Array.isArray(values) && values.every((value) => typeof value === 'string')
  return ofTexts && schema.type === undefined ? { type: 'string', ...schema } : schema
}

export function createSchemaComponents(): SchemaComponents {
  const components = new Map<string, { schema: unknown; text: string }>()

  const copyMembers = (value: object): Json =>
    withType(
      Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copy(member)])),
    )

  function copy(value: unknown): unknown {
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map(copy)
    return use(value)
  }

  function use(value: object, given?: string): unknown {
    const schema = copyMembers(value)
    const name = nameOf(value) ?? given
    if (name === undefined) return schema
    const text = canonicalJson(schema)
    const known = components.get(name)
    if (known !== undefined && known.text !== text) {
      throw new Error(`two different schemas have the name ${name}`)
    }
    components.set(name, { schema, text })
    return { $ref: `#/components/schemas/${name}` }
  }

  return {
    use,
    all: () =>
      Object.fromEntries(
        [...components]
          .map(([name, { schema }]) => [name, schema] as const)
          .sort(([one], [other]) => (one < other ? -1 : 1)),
      ),
  }
}
