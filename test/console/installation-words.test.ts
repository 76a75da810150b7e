/** The installation in words: its settings, and its background tasks. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { settingGroups } from '../../console/src/pages/installation/setting-groups.ts'
import { taskNames } from '../../console/src/pages/installation/task-words.ts'
import { surveyConfig } from '../../src/platform/config/config.ts'
import type { Task } from '../../src/platform/jobs/job.ts'
import { ROOT } from '../support/sources.ts'

test('each setting of the service is in one group', () => {
  const wrong = surveyConfig({}).variables.filter(
    ({ name }) => settingGroups.filter(({ names }) => names.test(name)).length !== 1,
  )
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  )
})

/** Where background tasks are put together. */
const BACKGROUND = join(ROOT, 'src/app/background.ts')
const FEATURE = /from '(\.\.\/features\/[^']+)'/g

/** What a slice would run; its services are used by a run only. */
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
