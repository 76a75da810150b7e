/** Random devices, random filters, and what each filter means, in words of its own. */
import fc from 'fast-check'
import {
  type FilterTree,
  type FilterValue,
  type Operator,
} from '../../../../src/platform/lib/filter-grammar.ts'
import { formatId } from '../../../../src/platform/lib/ids.ts'

export interface ModelDevice {
  id: string
  device_key: string
  hardware_id: string | null
  name: string
  status: 'registered' | 'active' | 'suspended' | 'decommissioned'
  approval: 'approved' | 'pending' | 'rejected'
  template: string | null
  tags: Record<string, string>
  custom_fields: Record<string, unknown>
  claimed_at: number | null
  created_at: number
  /** Undefined before the first connection. */
  presence: { connected: boolean; last_seen_at: number } | undefined
  groups: string[]
}

export const T0 = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
const times = [0, 1, 15 * MINUTE - 1, 15 * MINUTE, 16 * MINUTE, 90 * MINUTE, 180 * MINUTE].map(
  (shift) => T0 + shift,
)
const names = ['Kitchen', 'kitchen lamp', 'LAMP-2', 'Über x', '100% x', 'a*b', 'lamp kit 2', "o'x"]
const texts = ['', 'x', 'X', 'xy', 'x*', 'q"\\', 'true', '20', 'ground', `${'y'.repeat(255)}1`]
const scalars = [...texts.slice(0, 8), 0, -1.5, 20, 0.1, 1e305, true, false, null, [1], { a: 1 }]
const approvals = ['approved', 'pending', 'rejected'] as const
const statuses = ['registered', 'active', 'suspended', 'decommissioned'] as const
const oneOf = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values)

/** The members of a device that can change, and those that can't but for its id. */
export const deviceArbitrary = (
  templates: readonly string[],
  groups: readonly string[],
): fc.Arbitrary<Omit<ModelDevice, 'id' | 'device_key' | 'hardware_id' | 'created_at'>> =>
  fc.record({
    name: oneOf('', ...names),
    status: oneOf(...statuses),
    approval: oneOf(...approvals),
    template: oneOf(null, ...templates),
    tags: fc.dictionary(oneOf('a', 'b.c', 'floor'), oneOf(...texts), { maxKeys: 3 }),
    custom_fields: fc.dictionary(oneOf('n', 'm-1', 'ü'), oneOf(...scalars), { maxKeys: 3 }),
    claimed_at: oneOf(null, null, ...times),
    presence: fc.option(fc.record({ connected: fc.boolean(), last_seen_at: oneOf(...times) }), {
      nil: undefined,
    }),
    groups: fc.subarray([...groups]),
  })

export const keyOf = (index: number): string =>
  `${['TH2', 'TH', 'th2'][index % 3]}-${String(index * 7).padStart(3, '0')}`

const value = (text: string, more: Partial<FilterValue> = {}): FilterValue => ({
  text,
  isQuoted: true,
  match: 'exact',
  ...more,
})
const ANY = value('', { match: 'any', isQuoted: false })
const bare = (text: string): FilterValue => value(text, { isQuoted: false })
const begins = (...list: string[]) => oneOf(...list.map((text) => value(text, { match: 'prefix' })))

type Case = [field: string, operators: Operator[], values: fc.Arbitrary<FilterValue>]

const equal: Operator[] = ['=', '!=']
const orders: Operator[] = ['<', '<=', '>', '>=']

const cases = (ids: {
  devices: readonly string[]
  templates: readonly string[]
  groups: readonly string[]
}): Case[] => {
  const keys = [keyOf(1), keyOf(5), 'TH2-05', 'nothing']
  const time = oneOf(...times.map((ms) => bare(new Date(ms).toISOString())))
  const list = (prefix: 'dev' | 'tpl' | 'grp', uuids: readonly string[]) =>
    oneOf(...uuids.map((uuid) => bare(formatId(prefix, uuid))))
  const field = ['custom_fields.n', 'custom_fields.m-1', 'custom_fields.none']
  const tag = ['tags.a', 'tags.b.c', 'tags.none']
  return [
    ['id', equal, list('dev', ids.devices.slice(0, 4))],
    ['device_key', [...equal, ...orders], oneOf(...keys.map((key) => value(key)))],
    ['device_key', equal, begins('TH2-', 'T', 'th2-0')],
    [
      'device_key',
      equal,
      oneOf(...['7', '14', '01'].map((text) => value(text, { match: 'suffix' }))),
    ],
    ['hardware_id', equal, fc.oneof(oneOf(value('hw1'), value('hw3')), begins('hw', 'hw1'))],
    ['hardware_id', [':'], oneOf(ANY)],
    ['name', equal, fc.oneof(oneOf(...names.map((name) => value(name))), begins('k', 'LAMP'))],
    ['name', [':'], fc.oneof(oneOf(...['LAMP', 'kitchen lamp', '2', 'ÜBER'].map((w) => value(w))))],
    ['name', [':'], begins('k', 'la', 'kitchen l', 'lamp kit', 'ü')],
    ['status', equal, oneOf(...statuses.map(bare))],
    ['approval', equal, oneOf(...approvals.map(bare))],
    ['template_id', equal, list('tpl', ids.templates)],
    ['template_id', [':'], oneOf(ANY)],
    ['connected', equal, oneOf(bare('true'), bare('false'))],
    ['claimed', equal, oneOf(bare('true'), bare('false'))],
    ['created_at', orders, time],
    ['claimed_at', orders, time],
    ['last_seen_at', orders, time],
    ['claimed_at', [':'], oneOf(ANY)],
    ['last_seen_at', [':'], oneOf(ANY)],
    ...tag.flatMap((name): Case[] => [
      [name, equal, fc.oneof(oneOf(...texts.map((text) => value(text))), begins('x', 'q"'))],
      [name, [':'], oneOf(ANY)],
    ]),
    ...field.flatMap((name): Case[] => [
      [name, equal, fc.oneof(oneOf(...texts.map((text) => value(text))), begins('x', '2'))],
      [name, [...equal, ...orders], oneOf(...['0', '-1.5', '20', '2e1', '0.1', '1e300'].map(bare))],
      [name, equal, oneOf(bare('true'), bare('false'))],
      [name, [':'], oneOf(ANY)],
    ]),
    ['group', equal, list('grp', ids.groups)],
  ]
}

export function filterArbitrary(ids: Parameters<typeof cases>[0]): fc.Arbitrary<FilterTree> {
  const leaf = fc.oneof(
    ...cases(ids).map(([field, operators, values]) =>
      fc.record({
        kind: fc.constant('comparison' as const),
        field: fc.constant(field),
        operator: oneOf(...operators),
        value: values,
        at: fc.constant({ field: 0, operator: 0, value: 0 }),
      }),
    ),
  )
  const { tree } = fc.letrec<{ tree: FilterTree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'filter' },
      { weight: 3, arbitrary: leaf },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: oneOf('and' as const, 'or' as const),
          parts: fc.array(tie('tree'), { minLength: 2, maxLength: 3, depthIdentifier: 'filter' }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('not' as const), part: tie('tree') }) },
    ),
  }))
  return tree
}
