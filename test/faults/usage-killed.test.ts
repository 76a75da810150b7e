/**
 * kill -9 of a process that counts: its written counts are there once, and missing ones were
 * counted since. MOORING_TEST_KILLS says how often; CI asks for more than a quick run does.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { recomputeUsage } from '../../src/features/metering/usage/ledger.ts'
import { usageBetween } from '../../src/features/metering/usage/usage-report.ts'
import type { TestApp } from '../support/app.ts'
import { defer } from '../support/cleanup.ts'
import { useTenants } from '../support/suite-app.ts'

const KILLS = Number(process.env.MOORING_TEST_KILLS ?? 1)
const FAR = Date.now() + 1_000 * 3_600_000
const program = fileURLToPath(new URL('../support/usage-process.ts', import.meta.url))

interface Said {
  counted: number
  written: number
}

/** Lets a process count until it has written so many batches, and kills it at any point after. */
async function countUntilKilled(
  t: { after: (close: () => unknown) => void },
  { connection, seed }: TestApp,
  batches: number,
): Promise<Said> {
  const child = spawn(process.execPath, [program, JSON.stringify(connection), seed.uuid], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  defer(t, () => void child.kill('SIGKILL'))
  const said: Said = { counted: 0, written: 0 }
  let text = ''
  let written = 0
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const [word, count] = line.split(' ') as [keyof Said, string]
      said[word] = Number(count)
      if (word === 'written') written += 1
    }
    if (written >= batches) setImmediate(() => child.kill('SIGKILL'))
  })
  await once(child, 'close')
  return said
}

describe('usage', () => {
  const start = useTenants()

  test(`of a process that is killed ${KILLS} times is lost since its last batch, never doubled`, {
    timeout: 300_000 + KILLS * 10_000,
  }, async (t) => {
    const app = await start(t)
    const total = async () => (await usageBetween(app.database, app.seed.uuid, 0, FAR)).api_calls
    // The server may still be writing the last batch of a process that is gone.
    const all: Said = { counted: 0, written: 0 }
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { counted, written } = await countUntilKilled(t, app, 5 + 3 * kill)
      assert.ok(written > 0)
      all.counted += counted
      all.written += written
      const there = await total()
      assert.ok(there >= all.written, `${there} are stored, and ${all.written} were written`)
      assert.ok(there <= all.counted, `${there} are stored, and ${all.counted} were counted`)
    }
    assert.equal((await recomputeUsage(app.database)).differing, 0)
  })
})
