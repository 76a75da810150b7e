// Counts calls of a workspace and writes them, in a process of its own, so that a test can kill it.
// Arguments: the connection as JSON, and the workspace. Before each batch it prints how much it has
// counted, and after it how much is written.
import { writeSync } from 'node:fs'
import { connectDatabase } from '../../src/platform/database/connect.ts'
import { UsageMeters } from '../../src/features/metering/usage/usage-meters.ts'
import { systemClock } from '../../src/platform/lib/clock.ts'
import { newUuid } from '../../src/platform/lib/ids.ts'

const [connection = '{}', workspaceId = ''] = process.argv.slice(2)
const db = connectDatabase({
  connection: JSON.parse(connection) as object,
  poolSize: 2,
  prepared: true,
  statementTimeoutMs: 30_000,
  acquireTimeoutMs: 30_000,
})
const usage = new UsageMeters({
  db,
  clock: systemClock,
  nodeId: newUuid(),
  limitsOf: undefined,
})
let counted = 0
for (;;) {
  const batch = 1 + (counted % 7)
  for (let n = 0; n < batch; n += 1) usage.countCall(workspaceId, true)
  counted += batch
  writeSync(1, `counted ${counted}\n`)
  await usage.flush()
  writeSync(1, `written ${counted}\n`)
}
