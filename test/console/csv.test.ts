/** Tables of an import: read, mapped, split into pieces, and given back with their faults. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { parseCsv, writeCsv } from '../../console/src/api/csv.ts'
import {
  faultOf,
  guessMapping,
  nameOf,
  readDeviceFile,
  rowsOf,
  wrongFile,
} from '../../console/src/api/import-file.ts'

const cell = fc.string({
  unit: fc.constantFrom('a', '"', ',', '\r', '\n', ' ', 'é', '='),
  maxLength: 6,
})

test('written CSV is read again, by this parser and by that of the service', () => {
  const tables = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 })
  fc.assert(
    fc.property(tables, (rows) => {
      const text = writeCsv(rows)
      assert.deepEqual(parseCsv(text), rows)
      const options = { relax_column_count: true, skip_empty_lines: true }
      assert.deepEqual(parse(text, options), rows)
    }),
  )
})

test('cells may be separated by semicolons or tabs, as the first line has them', () => {
  for (const separator of [';', '\t']) {
    const text = [
      ['Serial', '"Name, or label"'],
      ['1', '"a;\tb"'],
    ]
      .map((row) => `${row.join(separator)}\r\n`)
      .join('')
    const { header, rows } = readDeviceFile('devices.csv', text)
    assert.deepEqual([header, rows], [['Serial', 'Name, or label'], [['1', 'a;\tb']]])
  }
  // One column, whose values have some.
  assert.deepEqual(readDeviceFile('devices.csv', 'device_key\r\na;b\r\n').rows, [['a;b']])
})

test('a byte order mark, line ends of other systems and empty lines are no cells', () => {
  const rows = [
    ['a', 'b'],
    ['1', ''],
  ]
  for (const text of ['\ufeffa,b\r\n1,\r\n', 'a,b\n\n1,', 'a,b\r1,\r', '"a",b\n1,""\n']) {
    assert.deepEqual(parseCsv(text), rows, JSON.stringify(text))
  }
  assert.deepEqual(parseCsv('a,"b,\n""c"""\n'), [['a', 'b,\n"c"']])
  assert.deepEqual(parseCsv('"a"x,b'), [['a"x', 'b']], 'malformed, and readable')
})

test('columns are recognised, and one of an export or of wrong rows is left out', () => {
  const header = ['Serial', 'Name', 'tags.floor', 'status', 'problem', 'Colour', 'device_key']
  assert.deepEqual(guessMapping(header), ['device_key', 'name', 'tags.floor', '', '', '', ''])
})

const text = 'key,name,colour\nlamp-1,"Hall, north",red\nlamp-2,,blue\n'

test('only mapped columns are sent, under the names of the service', () => {
  const file = readDeviceFile('lamps.csv', text)
  const mapping = ['device_key', 'name', '']
  assert.equal(
    rowsOf(file, mapping, file.rows).text,
    'device_key,name\r\nlamp-1,"Hall, north"\r\nlamp-2,\r\n',
  )
  assert.equal(nameOf(file, mapping, file.rows[1] ?? []), 'lamp-2')
  assert.match(faultOf(file, ['', 'name', '']) ?? '', /device key/)
  assert.match(faultOf(file, ['device_key', 'name', 'name']) ?? '', /Two columns/)
  assert.equal(faultOf(file, mapping), undefined)
})

test('wrong rows come back as they were, with why, and without the why of the last time', () => {
  const file = readDeviceFile('lamps.csv', `key,problem\nlamp 1,old\n`)
  const wrong = [{ row: file.rows[0] ?? [], message: 'must be a key' }]
  assert.equal(wrongFile(file, wrong), 'key,problem\r\nlamp 1,must be a key\r\n')
})

test('lines of JSON are sent as they are', () => {
  const file = readDeviceFile('lamps.ndjson', '{"device_key":"a"}\n\n{"hardware_id":"b"}\n')
  assert.equal(file.rows.length, 2)
  assert.equal(rowsOf(file, [], file.rows).text, '{"device_key":"a"}\n{"hardware_id":"b"}\n')
  assert.equal(nameOf(file, [], file.rows[1] ?? []), 'b')
  assert.throws(() => readDeviceFile('x.csv', 'a,b\n'), /no rows/)
})
