/** An export is verified from its lines alone, and whatever was done to it is named. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  entryHash,
  firstHash,
  hashedForm,
} from '../../../../src/features/audit/log/audit-log-chain.ts'
import { verifyExport } from '../../../../src/features/audit/log/audit-log-offline.ts'
import type { AuditEntryRow } from '../../../../src/features/audit/log/store.ts'
import { main } from '../../../support/service.ts'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'

const workspace = newUuid()
const id = formatId('ws', workspace)

function linesOf(length: number): string[] {
  let hash = firstHash(workspace)
  return Array.from({ length }, (_none, index) => {
    const row: AuditEntryRow = {
      workspace_id: workspace,
      id: newUuid(),
      occurred_at: 1_700_000_000_000 + index,
      actor_kind: 'user',
      actor_id: 'usr_1',
      action: 'device.updated',
      resource_kind: null,
      resource_id: null,
      request_id: 'req_1',
      address: '192.0.2.1',
      detail: { index, ü: [1.5, null] },
      seq: index + 1,
      hash: null,
    }
    hash = entryHash(hash, row, index + 1)
    return JSON.stringify({ ...hashedForm(row, index + 1), hash: hash.toString('hex') })
  })
}

const lines = linesOf(8)
const hashAt = (seq: number): string => JSON.parse(lines[seq - 1] as string).hash
const anchorAt = (seq: number, hash = hashAt(seq)) => ({ workspace_id: id, seq, hash })

test('an export, or a part of one, verifies', async () => {
  assert.deepEqual(await verifyExport(lines, [anchorAt(3), anchorAt(99, 'f'.repeat(64))]), {
    workspaceId: id,
    from: 1,
    to: 8,
    headHash: hashAt(8),
    beginsOnTrust: false,
    anchors: 1,
  })
  const part = await verifyExport(lines.slice(3))
  assert.deepEqual([part.from, part.to, part.beginsOnTrust], [4, 8, true])
  assert.equal((await verifyExport(lines.slice(3), [anchorAt(3)])).beginsOnTrust, false)
})

test('each kind of tampering is named', async () => {
  const changed = lines.with(3, (lines[3] as string).replace('device.updated', 'device.deleted'))
  await assert.rejects(verifyExport(changed), /entry 4 was altered/)
  await assert.rejects(verifyExport(lines.toSpliced(3, 1)), /after entry 3 comes line 4/)
  await assert.rejects(
    verifyExport(lines.with(2, '{"seq":3}')),
    /line 3 is not one of an audit log/,
  )
  await assert.rejects(verifyExport(lines.with(2, '{')), /line 3 is not one of an audit log/)
  await assert.rejects(verifyExport([]), /no entry/)
  const late = changed.slice(3)
  await assert.rejects(verifyExport(late, [anchorAt(3)]), /entry 4 was altered/)
})

test('a log that was made up with all keys is not the one that was anchored', async () => {
  const other = linesOf(8)
  await verifyExport(other)
  await assert.rejects(verifyExport(other, [anchorAt(6)]), /entry 6 is not the one/)
})

test('the command reports a wrong anchor, with the documented exit code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'offline-'))
  const [log, anchors] = [join(folder, 'log'), join(folder, 'anchors')]
  const run = () =>
    spawnSync(process.execPath, [main, 'audit', 'verify', log, '--anchors', anchors], {
      encoding: 'utf8',
    })
  try {
    writeFileSync(log, `${lines.join('\n')}\n`)
    writeFileSync(anchors, `${JSON.stringify(anchorAt(8))}\n`)
    const good = run()
    assert.deepEqual([good.status, good.stdout], [0, `${hashAt(8)}\n`])
    const wrong = createHash('sha256').digest('hex')
    writeFileSync(anchors, `${JSON.stringify(anchorAt(8, wrong))}\n`)
    const bad = run()
    assert.equal(bad.status, 1)
    assert.match(bad.stderr, /entry 8 is not the one that was anchored/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
