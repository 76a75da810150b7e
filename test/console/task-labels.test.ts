/** The installation in words: its settings, its background tasks, and what its health says. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { findings } from '../../console/src/pages/installation/findings.de.ts'
import { settingGroups } from '../../console/src/pages/installation/setting-groups.ts'
import { settingTexts } from '../../console/src/pages/installation/settings.de.ts'
import { taskNames } from '../../console/src/pages/installation/task-labels.ts'
import { byPattern } from '../../console/src/i18n/translate.ts'
import { findingsOf } from '../../src/app/status-findings.ts'
import { surveyConfig } from '../../src/platform/config/config.ts'
import type { Task } from '../../src/platform/jobs/job.ts'
import { ROOT } from '../support/sources.ts'
import { NOW, statuses, well } from '../support/statuses.ts'

test('each setting of the service is in one group', () => {
  const wrong = surveyConfig({}).variables.filter(
    ({ name }) => settingGroups.filter(({ names }) => names.test(name)).length !== 1,
  )
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  )
})

test('each setting is known in German with what applies without it, and nothing else is', () => {
  const { variables } = surveyConfig({})
  const texts = variables.flatMap(({ about, fallback, hasDefault }) => {
    const isValue = hasDefault ? !fallback.includes(' ') : /^none$|^https:/.test(fallback)
    return isValue ? [about] : [about, fallback]
  })
  assert.deepEqual(
    texts.filter((text) => settingTexts[text] === undefined),
    [],
  )
  const known = new Set(texts)
  assert.deepEqual(
    Object.keys(settingTexts).filter((text) => !known.has(text)),
    [],
  )
})

/** Where background tasks are put together. */
const BACKGROUND = join(ROOT, 'src/app/background.ts')
const FEATURE = /from '(\.\.\/features\/[^']+)'/g

/** The code that a slice would run; its services are used by a run only. */
async function tasksOf(path: string): Promise<string[]> {
  const exported = (await import(path)) as Record<string, (...parts: object[]) => Task[]>
  const creates = Object.entries(exported).filter(([name]) => /^create\w+Tasks$/.test(name))
  return creates.flatMap(([, create]) => create({}, {}, {}).map(({ name }) => name))
}

test('each background task has words, and nothing else has', async () => {
  const imports = readFileSync(BACKGROUND, 'utf8').matchAll(FEATURE)
  const files = [...imports].map(([, path = '']) => join(dirname(BACKGROUND), path))
  const names = await Promise.all(files.map(tasksOf))
  // The queue itself has one, too.
  assert.deepEqual([...names.flat(), 'queue.forget'].sort(), Object.keys(taskNames).sort())
})

const found = statuses.flatMap(([, change]) => findingsOf({ ...well, ...change }, NOW))
const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** The texts of the health of the service, for any fault. */
const said = found.flatMap(({ text, advice }) => [text, advice])

test('each sentence of the health of the service is said of one of the states', () => {
  const source = readFileSync(join(ROOT, 'src/app/status-findings.ts'), 'utf8').replaceAll(
    '\\`',
    '',
  )
  const literals = [...source.matchAll(/(['`])((?:(?!\1).)*)\1/g)].map(([, , text = '']) => text)
  const sentences = literals.filter((text) => text.includes(' '))
  const parts = sentences.map((text) => text.split(/\$\{[^}]+\}/).map(escaped))
  const plain = said.map((text) => text.replaceAll('`', ''))
  const unsaid = parts
    .map((each) => new RegExp(each.join('.+')))
    .filter((pattern) => !plain.some((text) => pattern.test(text)))
  assert.deepEqual(unsaid, [])
  assert.ok(parts.length > 30)
})

test('the health of the service is known in German, and nothing else is', () => {
  const unknown = said.filter((text) => byPattern(findings, text) === undefined)
  assert.deepEqual(unknown, [])
  const idle = findings.filter(([pattern]) => !said.some((text) => pattern.test(text)))
  assert.deepEqual(idle, [])
})
