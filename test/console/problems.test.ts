/** Refusals of the service as readers of German see them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type, { type TSchema } from 'typebox'
import { pauseAfter, Problem, readProblem } from '../../console/src/api/problem.ts'
import { faults, problems } from '../../console/src/i18n/problems.de.ts'
import { catalogue, Failure, type FailureCode } from '../../src/platform/errors/errors.ts'
import { readFilterOf } from '../../src/features/common/filter-text.ts'
import { bodyCheck } from '../../src/platform/http/validation.ts'

/** The message of validation about a member `it`. */
function messageOf(schema: TSchema, body: unknown): string {
  try {
    bodyCheck(Type.Object({ it: schema }), 'refuse')(body)
  } catch (error) {
    if (error instanceof Failure) return error.options.errors?.[0]?.message ?? ''
    throw error
  }
  return ''
}

const germanOf = (message: string): string | undefined => {
  const [pattern, german] = faults.find(([each]) => each.test(message)) ?? []
  return pattern && german && message.replace(pattern, german)
}

/** The response of the service to a filter. */
function refusalOf(filter: string): string {
  const fields = { status: { type: 'word', words: ['active', 'suspended', 'ended'] } } as const
  try {
    readFilterOf(filter, fields, '/query/filter')
  } catch (error) {
    if (error instanceof Failure) return error.options.errors?.[0]?.message ?? ''
    throw error
  }
  return ''
}

test('the most frequent errors in a filter have a German sentence, with their place', () => {
  const said = [
    ['status = foo', 'bei Zeichen 10: status muss active, suspended oder ended sein.'],
    ['status < active', 'bei Zeichen 8: status lässt sich nur mit = oder != vergleichen.'],
    ['state = active', 'bei Zeichen 1: Dieses Feld gibt es nicht. Es gibt status.'],
    ['status', 'bei Zeichen 7: Hier fehlt ein Vergleich, = != < <= > >= :'],
    ['status =', 'bei Zeichen 9: Hier fehlt ein Wert.'],
    ['status = active foo', 'bei Zeichen 17: Hier muss AND oder OR stehen, oder der Filter enden.'],
  ] as const
  for (const [filter, german] of said) {
    assert.equal(germanOf(refusalOf(filter)), `nicht lesbar ${german}`, filter)
  }
})

test('the most frequent validation errors have a German sentence, with their values', () => {
  const text = Type.String({ minLength: 1, maxLength: 3 })
  const said: readonly [TSchema, unknown, string][] = [
    [text, {}, 'Das Feld fehlt.'],
    [text, { it: '' }, 'Das Feld darf nicht leer sein.'],
    [text, { it: 'four' }, 'Höchstens 3 Zeichen.'],
    [Type.String({ minLength: 12 }), { it: '' }, 'Mindestens 12 Zeichen.'],
    [Type.Integer({ minimum: 5 }), { it: 4 }, 'Mindestens 5.'],
    [Type.Integer({ maximum: 5 }), { it: 6 }, 'Höchstens 5.'],
    [Type.Integer(), { it: 'x' }, 'Eine ganze Zahl ist nötig.'],
    [Type.Array(text, { minItems: 1 }), { it: [] }, 'Mindestens 1.'],
    [Type.String({ enum: ['a', 'b'] }), { it: 'c' }, 'Erlaubt sind: a, b.'],
    [Type.String({ format: 'uri' }), { it: 'c' }, 'Das Format stimmt nicht.'],
    [
      Type.String({ pattern: '^[^@\\s]+@[^@\\s]+$' }),
      { it: 'c' },
      'Eine E-Mail-Adresse ist nötig.',
    ],
  ]
  for (const [schema, body, german] of said) {
    const message = messageOf(schema, body)
    assert.equal(germanOf(message), german, message)
  }
})

test('a message that has more to say than the German sentence stays as it is', () => {
  assert.equal(
    germanOf('is missing: a global session names the workspace of the device'),
    undefined,
  )
  assert.equal(germanOf('must be one of a, b, or null'), undefined)
})

test('every sentence is whole', () => {
  const odd = Object.values(problems).filter((each) => !/^\p{Lu}.*\.$/u.test(each))
  assert.deepEqual(odd, [])
})

test('a conflict is shown at the field that it is about, unless the response names members', async () => {
  const errorsFor = async (body: object) => {
    const headers = { 'content-type': 'application/problem+json' }
    const text = JSON.stringify({ status: 409, title: 'Taken', detail: 'It is taken.', ...body })
    return (await readProblem(new Response(text, { status: 409, headers }))).errors
  }
  const errors = await errorsFor({ code: 'device_key_taken' })
  assert.deepEqual(errors, [{ pointer: '/device_key', message: 'It is taken.' }])
  const named = [{ pointer: '/name', message: 'is missing' }]
  assert.deepEqual(await errorsFor({ code: 'slug_taken', errors: named }), named)
  assert.deepEqual(await errorsFor({ code: 'slug_fixed' }), [
    { pointer: '/slug', message: 'It is taken.' },
  ])
  assert.deepEqual(await errorsFor({ code: 'invalid_transition' }), [])
})

test('a conflict is said at its field in the language of the console', () => {
  const shape = { status: 409, title: 'Er ist vergeben.', detail: 'It is taken.' } as const
  const problem = new Problem({ ...shape, code: 'slug_taken', lang: 'en' })
  assert.deepEqual(problem.errors, [{ pointer: '/slug', message: 'Er ist vergeben.' }])
  assert.equal(problem.sentence, 'Er ist vergeben.')
  assert.equal(new Problem({ ...shape, code: 'already_member' }).sentence, 'It is taken.')
})

const JSON_PROBLEM = { 'content-type': 'application/problem+json' }

/** A refusal of the service, as the console reads it. */
async function readAs(code: FailureCode, headers: Record<string, string> = {}): Promise<Problem> {
  const { status, message: detail } = new Failure(code)
  const text = JSON.stringify({ code, status, title: catalogue[code].title, detail })
  return readProblem(new Response(text, { status, headers: { ...JSON_PROBLEM, ...headers } }))
}

test('a concurrent change is reported without ETags', async () => {
  assert.match(new Failure('precondition_failed').message, /ETag/)
  const problem = await readAs('precondition_failed')
  assert.equal(problem.title, 'Somebody else has changed it meanwhile')
  assert.doesNotMatch(problem.message, /ETag/)
})

test('an error of the service says who wants the trace id', async () => {
  const { message, detail, advice } = await readAs('internal_error')
  assert.match(message, /the trace id to the operator/)
  // Notes say in between what happens by itself.
  assert.equal(message, `${detail} ${advice}`)
  assert.doesNotMatch(detail, /operator/)
})

test('a temporary failure differs from a refusal, and from a long wait', async () => {
  const isPassing = async (code: FailureCode, seconds?: number): Promise<boolean> =>
    (await readAs(code, seconds === undefined ? {} : { 'retry-after': `${seconds}` })).isPassing
  assert.equal(await isPassing('unavailable', 2), true)
  assert.equal(await isPassing('unavailable'), false)
  assert.equal(await isPassing('unavailable', 3600), false)
  assert.equal(await isPassing('rate_limited', 2), true)
  assert.equal(await isPassing('rate_limited', 3600), false)
  assert.equal(await isPassing('permission_denied', 2), false)
})

test('a read that failed is tried again when the service asks for it, else later each time', async () => {
  assert.equal(pauseAfter(0, await readAs('unavailable', { 'retry-after': '7' })), 7_000)
  assert.deepEqual(
    [0, 1, 2].map((tries) => pauseAfter(tries, new Error('no response'))),
    [1_000, 2_000, 4_000],
  )
})
