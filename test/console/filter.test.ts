/** The display of the editor of filters: the kinds of words, and what may come next. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  completionsAt,
  labelled,
  refusalIn,
  type FilterField,
  tokensOf,
  valueAt,
} from '../../console/src/api/filter.ts'

const fields: readonly FilterField[] = [
  { name: 'status', type: 'word', operators: ['=', '!='], values: ['active', 'suspended'] },
  { name: 'last_seen_at', type: 'time', operators: ['<', '>'] },
  { name: 'tags.floor', type: 'tag', operators: ['='], values: ['ground'] },
]

const kindsOf = (text: string): string[] => tokensOf(text).map(({ kind }) => kind)
const offered = (text: string, caret = text.length): string[] =>
  completionsAt(text, caret, fields).map((each) => each.text)

describe('the tokens of a filter', () => {
  test('the text after an operator is a value, not a field', () => {
    assert.deepEqual(kindsOf('status = active AND tags.floor = "ground floor"'), [
      'field',
      'operator',
      'value',
      'keyword',
      'field',
      'operator',
      'value',
    ])
  })

  test('a keyword after an operator is a value', () => {
    assert.deepEqual(kindsOf('name = AND'), ['field', 'operator', 'value'])
  })

  test('tokens cover the text that they name', () => {
    const text = 'NOT (name:"a \\" b" OR id != x)'
    for (const { start, end, text: found } of tokensOf(text)) {
      assert.equal(text.slice(start, end), found)
    }
  })

  test('an unfinished quotation is one token', () => {
    assert.deepEqual(kindsOf('name = "half of'), ['field', 'operator', 'value'])
  })
})

describe('completions at the caret', () => {
  test('are fields at the beginning, after AND, and after a parenthesis', () => {
    for (const text of ['', 'status = active AND ', '(']) {
      assert.ok(offered(text).includes('last_seen_at'), text)
    }
  })

  test('begin with what is typed', () => {
    assert.deepEqual(offered('las'), ['last_seen_at'])
  })

  test('are the operators of the field, then its values', () => {
    assert.deepEqual(offered('status '), ['=', '!='])
    assert.deepEqual(offered('status = '), ['active', 'suspended'])
    assert.deepEqual(offered('status = sus'), ['suspended'])
  })

  test('are AND and OR after a comparison', () => {
    assert.deepEqual(offered('status = active '), ['AND', 'OR'])
  })

  test('a completion replaces the word that the caret is in', () => {
    const [first] = completionsAt('las = 1', 2, fields)
    assert.deepEqual([first?.text, first?.start, first?.end], ['last_seen_at', 0, 3])
  })
})

test('the value that is being typed is known with its field', () => {
  assert.deepEqual(valueAt('status = active AND tags.floor = gr', 35), {
    field: 'tags.floor',
    text: 'gr',
  })
  assert.deepEqual(valueAt('tags.floor = "gr', 16), { field: 'tags.floor', text: 'gr' })
  assert.deepEqual(valueAt('tags.floor = ', 13), { field: 'tags.floor', text: '' })
  assert.equal(valueAt('tags.fl', 7), undefined)
  assert.equal(valueAt('status = active ', 16), undefined)
})

test('a quoted value is completed by values with and without quotation marks', () => {
  const known = [{ name: 'a', type: 'tag', operators: ['='], values: ['x1', '"x 2"', 'y'] }]
  assert.deepEqual(
    completionsAt('a = "x', 6, known).map((each) => each.text),
    ['x1', '"x 2"'],
  )
})

test('a refusal marks the part at its position, and nothing else', () => {
  const part = (message: string, text: string): string | undefined => {
    const { place } = refusalIn(message, text)
    return place && text.slice(place.start, place.end)
  }
  const at = (character: number): string => `cannot be read at character ${character}: no`
  assert.equal(part(at(10), 'status = foo AND a = b'), 'foo')
  assert.equal(part(at(8), 'status < foo AND a = b'), '<')
  assert.equal(part(at(1), 'stauts=foo AND a = b'), 'stauts')
  assert.equal(
    part(at(15), '(last_seen_at>2026-13-31T08:00:00Z) AND a = b'),
    '2026-13-31T08:00:00Z',
  )
  assert.equal(part(at(10), "status = 'f o:o' AND a = b"), "'f o:o'")
  assert.equal(part(at(9), 'status ='), '')
  assert.equal(part('nicht lesbar bei Zeichen 10: nein', 'status = foo AND a = b'), 'foo')
  assert.deepEqual(refusalIn('is too long', 'a = b'), { why: 'is too long' })
})

test('a value that only the page has is refused with the filter that finds it', () => {
  const [status, ...others] = fields
  assert.ok(status !== undefined)
  const shown = [{ ...status, instead: { online: 'connected = true' } }, ...others]
  const message = 'cannot be read at character 10: status must be active or suspended'
  const { why } = refusalIn(message, 'status = Online', shown)
  assert.match(why, /suspended\. For that, write: connected = true$/)
  assert.doesNotMatch(refusalIn(message, 'status = purple', shown).why, /write/)
  const more = shown.map((each) => ({ ...each, otherwise: 'Online: connected = true' }))
  assert.match(refusalIn(message, 'status = purple', more).why, /\. Online: connected = true$/)
  assert.doesNotMatch(refusalIn(message, 'status = online', more).why, /Online:/)
})

describe('the name of a field on the page', () => {
  const named = labelled(fields, { status: 'Status', last_seen_at: 'Heard of' })
  const why = (message: string): string => refusalIn(message, 'x', named).why

  test('is its hint, unless that is its name', () => {
    assert.deepEqual(
      completionsAt('', 0, named).map(({ text, hint }) => [text, hint]),
      [
        ['status', 'word'],
        ['last_seen_at', 'Heard of'],
        ['tags.floor', 'tag'],
        ['NOT', 'negates'],
      ],
    )
  })

  test('is said where the filter is refused, in both languages', () => {
    const at = 'cannot be read at character 1:'
    assert.equal(
      why(`${at} there is no such field; the fields are status, last_seen_at and tags.<key>`),
      'there is no such field; the fields are status, last_seen_at (Heard of) and tags.<key>',
    )
    assert.equal(
      why(`${at} last_seen_at can only be compared with < or >`),
      'last_seen_at (Heard of) can only be compared with < or >',
    )
    assert.equal(
      why('nicht lesbar bei Zeichen 1: Dieses Feld gibt es nicht. Es gibt last_seen_at.'),
      'Dieses Feld gibt es nicht. Es gibt last_seen_at (Heard of).',
    )
    assert.equal(why(`${at} expected a value`), 'expected a value')
  })
})
