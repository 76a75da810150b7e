/** A document with a table: all of it can be read, on as many pages as it takes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeTableDocument, type TableDocument } from '../../../src/adapters/pdf/table-document.ts'
import { pagesOf, textOf } from '../../support/pdf.ts'

const documentOf = (more: Partial<TableDocument> = {}): TableDocument => ({
  title: 'List 7',
  sender: ['Acme Cloud'],
  receiver: ['Søren & Søn ApS'],
  facts: [['Number', '7']],
  columns: [
    { head: 'What', width: 395, isNumber: false },
    { head: 'Count', width: 100, isNumber: true },
  ],
  rows: [[['Lamps', 'of the hall'], ['12']]],
  sums: [['Total', '12']],
  notes: [],
  footer: 'List 7',
  madeAt: Date.UTC(2026, 10, 1),
  ...more,
})

const pdfOf = (more: Partial<TableDocument> = {}): Promise<Buffer> =>
  makeTableDocument(documentOf(more), undefined)

/** A text that is on its own line as often as given. */
const linesOf = (text: string, wanted: string): number =>
  text.split('\n').filter((line) => line === wanted).length

describe('a document with a table', () => {
  test('has the head of the table on each page, and no row is lost', async () => {
    const rows = Array.from({ length: 120 }, (_none, at) => [[`Row ${at}`], [`${at * 7}`]])
    const pdf = await pdfOf({ rows })
    const [pages, text] = [pagesOf(pdf), textOf(pdf)]
    assert.ok(pages >= 3, String(pages))
    assert.equal(linesOf(text, 'Count'), pages)
    assert.ok(text.includes(`page ${pages} of ${pages}`))
    for (let at = 0; at < 120; at += 1) assert.equal(linesOf(text, `Row ${at}`), 1)
  })

  test('wraps long text, and marks characters missing in the font', async () => {
    const receiver = ['W'.repeat(120), 'Ωμέγα 株式会社', 'L '.repeat(400)]
    const text = textOf(await pdfOf({ receiver }))
    assert.equal(text.replaceAll('\n', '').includes('W'.repeat(120)), true)
    assert.ok(!text.includes('W'.repeat(60)), 'the text stays in its column')
    assert.match(text, /\?{5} \?{4}/)
    assert.ok(text.replaceAll(/\s+/g, ' ').includes('printed as "?"'), text)
    assert.ok(!textOf(await pdfOf()).includes('printed as'))
  })

  test('is the same, byte for byte, each time', async () => {
    assert.ok((await pdfOf()).equals(await pdfOf()))
    assert.ok(!(await pdfOf()).equals(await pdfOf({ title: 'List 8' })))
  })
})
