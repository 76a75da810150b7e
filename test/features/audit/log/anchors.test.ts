/** Anchors: published once, by any process, and stronger evidence than the chain itself. */
import assert from 'node:assert/strict'
import { createPublicKey, verify as verifyBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import { createAnchorSigner } from '../../../../src/platform/access/anchor-signer.ts'
import { readCompactJws } from '../../../../src/platform/access/compact-jws.ts'
import { anchorMovedHeads } from '../../../../src/features/audit/log/audit-anchor.ts'
import { verifyChain } from '../../../../src/features/audit/log/audit-log-verification.ts'
import { systemClock } from '../../../../src/platform/lib/clock.ts'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { entryAt, openAuditBench, sql, unchain, undone } from '../../../support/audit-chain.ts'

suite('anchors of audit chains', () => {
  test('a new head is published once, as an event and in the file', async (t) => {
    const bench = await openAuditBench(t)
    const { db, keyring } = bench
    const anchorSigner = createAnchorSigner(keyring)
    const lines: string[] = []
    const anchorSink = { append: async (more: readonly string[]) => void lines.push(...more) }
    const services = { db, keyring, clock: systemClock, anchorSigner, anchorSink }
    const workspaces = [newUuid(), newUuid()]
    for (const workspace of workspaces) await bench.append(workspace)
    await bench.appender.append()
    await Promise.all(Array.from({ length: 5 }, () => anchorMovedHeads(services)))
    await anchorMovedHeads(services)
    const received = lines.map((line) => JSON.parse(line) as Record<string, string>)
    assert.deepEqual(
      received.map(({ workspace_id, seq }) => `${workspace_id} ${seq}`).sort(),
      workspaces.map((id) => `${formatId('ws', id)} 1`).sort(),
    )
    const events = await sql<{ data: Record<string, unknown> }>(
      db,
      `SELECT data FROM events WHERE type = 'audit.anchored'`,
    )
    assert.deepEqual(
      events.map(({ data }) => String(data.jws)).sort(),
      received.map(({ jws }) => String(jws)).sort(),
    )
    // Reporting is no change: else the head would move by it, for ever.
    await bench.appender.append()
    await anchorMovedHeads(services)
    assert.equal(lines.length, 2)
    await bench.append(workspaces[0] as string)
    await bench.appender.append()
    await anchorMovedHeads(services)
    assert.equal(lines.length, 3)
  })

  test('an anchor can be verified with the public key alone', async (t) => {
    const { keyring } = await openAuditBench(t)
    const signer = createAnchorSigner(keyring)
    const anchor = {
      workspace_id: formatId('ws', newUuid()),
      seq: 7,
      hash: 'ab'.repeat(32),
      anchored_at: '2026-01-02T03:04:05.678Z',
    }
    const jws = readCompactJws(signer.sign(anchor))
    const [jwk] = signer.jwks().keys
    assert.ok(jws !== undefined && jwk !== undefined)
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
    assert.equal(jws.header.kid, jwk.kid)
    assert.deepEqual(JSON.parse(jws.payload.toString()), anchor)
    assert.ok(verifyBytes(null, jws.signingInput, key, jws.signature))
    assert.ok(!verifyBytes(null, Buffer.from('other'), key, jws.signature))
    assert.deepEqual(createAnchorSigner(keyring).jwks(), signer.jwks())
  })

  test('an anchor that could not be written to the file is written the next time', async (t) => {
    const bench = await openAuditBench(t)
    const { db, keyring } = bench
    const anchorSigner = createAnchorSigner(keyring)
    let isFull = true
    const lines: string[] = []
    const anchorSink = {
      async append(more: readonly string[]) {
        if (isFull) throw new Error('no space left on device')
        lines.push(...more)
      },
    }
    const services = { db, keyring, clock: systemClock, anchorSigner, anchorSink }
    await bench.append(newUuid())
    await bench.appender.append()
    await assert.rejects(anchorMovedHeads(services), /no space left/)
    assert.deepEqual(await sql(db, 'SELECT 1 FROM audit_anchors'), [])
    isFull = false
    await anchorMovedHeads(services)
    assert.equal(lines.length, 1)
  })

  test('a chain computed again with the master key itself does not have the anchor', async (t) => {
    const bench = await openAuditBench(t)
    const { db, keyring } = bench
    const workspace = newUuid()
    for (let index = 0; index < 6; index += 1) await bench.append(workspace, { index })
    await bench.appender.append()
    const head = await verifyChain(bench, workspace)
    const anchor = { seq: 6, hash: head.head_hash as string }
    const good = await verifyChain(bench, workspace, { anchor })
    assert.deepEqual([good.valid, good.anchor], [true, 'contained'])
    await undone(db, async (trx) => {
      const altered = `UPDATE audit_log SET action = 'account.created' WHERE id = ${entryAt(3)}`
      await sql(trx, altered, [workspace])
      await unchain(trx, workspace)
      await bench.appenderOn(trx).append()
      assert.deepEqual(bench.problems, [])
      const services = { db: trx, keyring }
      assert.equal((await verifyChain(services, workspace)).valid, true)
      const found = await verifyChain(services, workspace, { anchor })
      assert.deepEqual(
        [found.valid, found.reason, found.first_bad_seq, found.anchor],
        [false, 'anchor_missing', 6, 'missing'],
      )
    })
    const beyond = await verifyChain(bench, workspace, { anchor: { ...anchor, seq: 7 } })
    assert.deepEqual([beyond.valid, beyond.anchor], [false, 'missing'])
  })

  test('a head that we have not written gets no anchor', async (t) => {
    const bench = await openAuditBench(t)
    const { db, keyring } = bench
    const lines: string[] = []
    const anchorSink = { append: async (more: readonly string[]) => void lines.push(...more) }
    const anchorSigner = createAnchorSigner(keyring)
    await bench.append(newUuid())
    await bench.appender.append()
    await sql(db, `UPDATE audit_chains SET mac = sha256(mac)`)
    await anchorMovedHeads({ db, keyring, clock: systemClock, anchorSigner, anchorSink })
    assert.deepEqual(lines, [])
  })
})
