/**
 * A reporter for `node --test` that says what failed, as soon as it has, and the count. Tests that
 * pass are not named. The output of a file is only shown if the file fails, at its end. The line
 * `test at <file>:<line>:<column>` is that of Node's own reporter.
 */
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

type Failed = Extract<TestEvent, { type: 'test:fail' }>['data']

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ')

/** A suite or a file fails with its tests, which were reported before. */
const isOfTests = ({ details }: Failed): boolean =>
  'failureType' in details.error && details.error.failureType === 'subtestsFailed'

function failureText({ name, file = '', line, column, details }: Failed): string {
  const { cause } = details.error
  const place = `test at ${relative(process.cwd(), file)}:${line}:${column}`
  return `\n✖ ${name}\n${place}\n${indented(inspect(cause ?? details.error))}\n`
}

function summaryText(counts: { tests: number; passed: number; skipped: number }, ms: number) {
  const { tests, passed, skipped } = counts
  const failed = tests - passed - skipped
  const parts = [
    `${passed} passed`,
    `${failed} failed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ]
  return `\n${tests} tests in ${Math.round(ms / 1_000)} s: ${parts.join(', ')}\n`
}

/** The file of an event about a whole file; undefined for a test, whose event names it as entry. */
const wholeFile = (data: {
  name: string
  file?: string
  entryFile?: string
}): string | undefined => (data.entryFile === undefined ? data.file : undefined)

async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  /** The output of the processes of the files. */
  const outputs = new Map<string, string>()
  for await (const { type, data } of events) {
    if (type === 'test:fail' && !isOfTests(data)) yield failureText(data)
    if (type === 'test:stdout' || type === 'test:stderr') {
      const { file, entryFile = file } = data as { file: string; entryFile?: string }
      outputs.set(entryFile, (outputs.get(entryFile) ?? '') + data.message)
    }
    const ended = type === 'test:complete' ? wholeFile(data) : undefined
    if (type === 'test:complete' && ended !== undefined) {
      if (!data.details.passed) yield outputs.get(ended) ?? ''
      outputs.delete(ended)
    }
    // The summary of the whole run names no file.
    if (type === 'test:summary' && data.file === undefined) {
      yield summaryText(data.counts, data.duration_ms)
    }
  }
}

export default report
