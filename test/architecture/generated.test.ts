/** Files that are made from the source are in the repository as the source makes them. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { generatedFiles } from '../../generate/generated.ts'
import { ROOT } from '../support/sources.ts'

/** Need a database: schema.test.ts and statements.test.ts compare them with that of the run. */
const ELSEWHERE = ['schema.sql', 'statements.ts']

for (const [path, make] of Object.entries(generatedFiles)) {
  if (ELSEWHERE.includes(path)) continue
  test(`${path} is what the source says`, async () => {
    const written = await readFile(join(ROOT, path), 'utf8').catch(() => '(there is no such file)')
    const made = await make()
    const lines = written.split('\n')
    const stale = made.split('\n').find((line, index) => line !== lines[index])
    assert.equal(written === made, true, `run \`npm run generate\`; it would write: ${stale}`)
  })
}

test('the generated files include those that need a database', () => {
  for (const path of ELSEWHERE) assert.ok(path in generatedFiles)
})
