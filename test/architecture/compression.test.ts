/**
 * The responses that are compressed. The size of a compressed response reveals parts that it shares
 * with text of an attacker in it (BREACH), so that none holds a secret.
 */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isCompressed } from '../../src/platform/http/content-coding.ts'
import { operations } from '../../src/operations.ts'

/** Names that secrets have. A value that is no text cannot hold one. */
const suspicious =
  /token|secret|password|passphrase|credential|otp|recovery|private|proof|signature|url|link|header/

/** Members that have such a name and are no secret, with the reason. */
const innocent: Readonly<Record<string, string>> = {
  'firmware.url': 'devices without a credential for it load from there',
  'endpoints.url': 'addresses of brokers, which every device has',
}

interface Schema {
  type?: string
  enum?: unknown
  const?: unknown
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

const isText = ({ type, enum: choices, const: value, format }: Schema): boolean =>
  format !== 'date-time' &&
  choices === undefined &&
  value === undefined &&
  !['integer', 'number', 'boolean', 'null'].includes(type ?? '')

/** Paths of all members that may be text, without the marks of lists. */
function textsOf(schema: Schema, path: readonly string[] = []): string[] {
  const { properties = {}, items, anyOf = [] } = schema
  const own = isText(schema) && anyOf.length === 0 ? [path.slice(-2).join('.')] : []
  return [
    ...own,
    ...Object.entries(properties).flatMap(([name, each]) => textsOf(each, [...path, name])),
    ...(items === undefined ? [] : textsOf(items, path)),
    ...anyOf.flatMap((each) => textsOf(each, path)),
  ]
}

const suspectsOf = ({ returns }: (typeof operations)[number]): string[] => {
  const texts = Object.values(returns).flatMap((each) => (each === null ? [] : textsOf(each)))
  return [...new Set(texts)].filter((path) => suspicious.test(path.split('.').at(-1) ?? ''))
}

suite('compressed responses', () => {
  test('are responses to GET of the API, which reads no cookies', () => {
    const found = operations.filter(isCompressed)
    assert.ok(found.length > 30)
    for (const { base, id, method } of found) {
      assert.deepEqual([method, base], ['GET', '/api/v1'], id)
    }
  })

  test('hold no secret', () => {
    const used = new Set<string>()
    for (const operation of operations.filter(isCompressed)) {
      for (const path of suspectsOf(operation)) {
        used.add(path)
        assert.ok(
          Object.hasOwn(innocent, path),
          `${operation.id}: ${path} needs mayHoldSecrets, or a reason why it is no secret`,
        )
      }
    }
    assert.deepEqual([...used].toSorted(), Object.keys(innocent).toSorted())
  })

  test('an operation that is said to hold secrets has a member for one', () => {
    for (const operation of operations.filter(({ mayHoldSecrets }) => mayHoldSecrets)) {
      assert.notDeepEqual(suspectsOf(operation), [], operation.id)
    }
  })
})
