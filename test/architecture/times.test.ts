/**
 * Times at the edges of what can be represented: every operation that is sent a time takes it, or
 * refuses it and names the member. The members are found in the schemas, so that an operation that
 * is added later is tested as well.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { operations } from '../../src/operations.ts'
import type { CallResult } from '../support/app.ts'
import { callByExample } from '../support/examples.ts'
import { assertProblem } from '../support/problems.ts'
import { useApp } from '../support/suite-app.ts'
import { seedTenant, type Tenant } from '../support/tenants.ts'
import { isThorough } from '../support/thorough.ts'
import { NO_TIMES, TIMES } from '../support/time-edges.ts'

type AnyOperation = (typeof operations)[number]
type Json = Record<string, unknown>

const EXPECTED = /must be a time/
/** Times that are sent in pairs: each with each. */
const PAIRED = isThorough ? TIMES : TIMES.filter((_time, index) => index % 4 === 0)

const propertiesOf = (schema: unknown): Record<string, Json> =>
  ((schema ?? {}) as { properties?: Record<string, Json> }).properties ?? {}

/** Whether a schema, or one of its alternatives, is a time. */
const isTime = ({ format, anyOf = [] }: Json): boolean =>
  format === 'date-time' || (anyOf as Json[]).some(isTime)

const timesOf = (schema: unknown): string[] =>
  Object.entries(propertiesOf(schema))
    .filter(([, property]) => isTime(property))
    .map(([name]) => name)

/** Every schema with a format below one. */
function countTimes(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 0
  const own = (schema as Json).format === 'date-time' ? 1 : 0
  return Object.values(schema).reduce<number>((sum, each) => sum + countTimes(each), own)
}

const withTimes = operations.filter(
  ({ body, query }) => timesOf(body).length + timesOf(query).length > 0,
)

/** Every name of a time in a response; a filter may compare it. */
const names = new Set(
  operations.flatMap(({ returns }) => JSON.stringify(returns).match(/(?<=")[a-z_]+_at(?=":)/g)),
)

describe('times at the edges', () => {
  const get = useApp()
  let own: Tenant

  before(async () => {
    own = await seedTenant(get(), get().seed)
  })

  /** Sends values of members, each where the operation takes it. */
  function send(operation: AnyOperation, values: Json): Promise<CallResult> {
    const queried = Object.keys(propertiesOf(operation.query))
    const inQuery = Object.entries(values).filter(([name]) => queried.includes(name))
    const query = new URLSearchParams(inQuery as [string, string][]).toString()
    const { body, example } = operation
    const whole = { ...(example as Json), ...values }
    const call: AnyOperation = { ...operation, path: `${operation.path}?${query}` }
    return callByExample(get(), call, own, body === undefined ? {} : whole)
  }

  /** @returns the refusal of the member as one that is no time, if it was refused so */
  function refusalOf(response: CallResult, where: string): string | undefined {
    const { status, headers, text } = response
    if (status < 400) return undefined
    const shown = { status, contentType: headers['content-type'], text }
    const { code, errors = [] } = assertProblem(shown, where)
    const [first] = errors
    const isIt = code === 'invalid_request' && EXPECTED.test(first?.message ?? '')
    return isIt ? first?.pointer : undefined
  }

  test('the members that are times are found in the schemas', () => {
    assert.ok(withTimes.length >= 7, withTimes.map(({ id }) => id).join(' '))
    for (const { id, body, query } of operations) {
      const found = timesOf(body).length + timesOf(query).length
      assert.equal(countTimes({ body, query }), found, `${id} has a time further inside`)
    }
  })

  for (const operation of withTimes) {
    const inQuery = timesOf(operation.query)
    const members = [...inQuery, ...timesOf(operation.body)]
    const pointerOf = (name: string) => (inQuery.includes(name) ? `/query/${name}` : `/${name}`)

    test(`${operation.id} accepts every valid time, and names an invalid one`, async () => {
      for (const name of members) {
        for (const time of TIMES) {
          const where = `${operation.id} with ${name} = ${time}`
          assert.equal(refusalOf(await send(operation, { [name]: time }), where), undefined, where)
        }
        for (const text of NO_TIMES) {
          const where = `${operation.id} with ${name} = ${JSON.stringify(text)}`
          const pointer = refusalOf(await send(operation, { [name]: text }), where)
          assert.equal(pointer, pointerOf(name), where)
        }
      }
    })

    const [one, other] = members
    if (one === undefined || other === undefined) continue
    const [choice, choices = []] =
      Object.entries(propertiesOf(operation.query))
        .filter(([name]) => name === 'granularity')
        .map(([name, { enum: words }]) => [name, words as string[]] as const)[0] ?? []

    test(`${operation.id} takes every two of them together`, async () => {
      for (const chosen of choice === undefined
        ? [{}]
        : choices.map((word) => ({ [choice]: word }))) {
        for (const from of PAIRED) {
          for (const to of PAIRED) {
            const values: Json = { [one]: from, [other]: to, ...chosen }
            const where = `${operation.id} with ${JSON.stringify(values)}`
            assert.equal(refusalOf(await send(operation, values), where), undefined, where)
          }
        }
      }
    })
  }

  test('a filter takes every time that there is, and says where one is none', async () => {
    let compared = 0
    for (const operation of operations) {
      const { filter: inQuery } = propertiesOf(operation.query)
      // A change by filter names its devices as the list of devices does.
      if (inQuery === undefined || operation.method !== 'GET') continue
      for (const name of names) {
        const sent = (time: string) => send(operation, { filter: `${name} <= "${time}"` })
        if ((await sent('2026-01-01T00:00:00Z')).status !== 200) continue
        compared += 1
        for (const time of [TIMES[0], TIMES[2], '2026-12-31T23:59:60Z', TIMES.at(-1)]) {
          for (const order of ['<', '<=', '>', '>=']) {
            const response = await send(operation, { filter: `${name} ${order} ${time}` })
            assert.equal(response.status, 200, `${operation.id}: ${name} ${order} ${time}`)
          }
        }
        for (const text of ['', '2026-02-29', '0000-01-01', '9999-12-31T23:59:60Z']) {
          const where = `${operation.id}: ${name} <= ${JSON.stringify(text)}`
          const { status, headers, text: shown } = await sent(text)
          const problem = assertProblem(
            { status, contentType: headers['content-type'], text: shown },
            where,
          )
          assert.equal(problem.code, 'invalid_request', where)
          assert.match(problem.errors?.[0]?.message ?? '', /a time such as/, where)
        }
      }
    }
    assert.ok(compared > 20, String(compared))
  })
})
