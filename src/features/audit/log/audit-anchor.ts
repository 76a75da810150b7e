/**
 * Anchors: signed chain heads that are published outside. Someone with both the database and the
 * master key could recompute a forged chain, but cannot take back published anchors.
 */
import type { AnchorSigner } from '../../../platform/access/anchor-signer.ts'
import type { Keyring } from '../../../platform/access/keyring.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db, Transaction } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { type Change, INSTALLATION } from '../../../platform/record/event.ts'
import { publishAll, record } from '../../../platform/record/record.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { formatId, NIL_UUID } from '../../../platform/lib/ids.ts'
import { readPage, type PageQuery } from '../../common/paging.ts'
import { timestamp } from '../../common/shapes.ts'
import * as store from './store.ts'
import { isOurHead } from './audit-log-chain.ts'
import { AuditAnchor } from './schema.ts'
import type { ChainHead } from './store.ts'
import type { Paged } from '../../common/results.ts'
import { rowView } from '../../common/row-view.ts'
import { columnsOf, pagesOf } from '../../../platform/database/sql.ts'

/** Where anchors are published, besides the workspaces' events. */
export interface AnchorSink {
  /** Resolves once the lines are durable. */
  append(lines: readonly string[]): Promise<void>
}

/** In addition to the services of all operations. */
export interface AnchorServices {
  anchorSigner: AnchorSigner
  anchorSink: AnchorSink
}

interface Anchoring extends AnchorServices {
  clock: Clock
  keyring: Keyring
}

const BATCH = 100

function anchorOf({ clock, anchorSigner }: Anchoring, head: ChainHead): AuditAnchor {
  const anchor = {
    workspace_id: formatId('ws', head.workspace_id),
    seq: head.seq,
    hash: head.hash.toString('hex'),
    anchored_at: timestamp(clock.now()),
  }
  return { ...anchor, jws: anchorSigner.sign(anchor) }
}

const viewOf = rowView<store.AnchorRow>()(AuditAnchor, { hash: ({ hash }) => hash.toString('hex') })

const changeOf = (workspaceId: string, anchor: AuditAnchor): Change => {
  const { seq, hash, anchored_at, jws } = anchor
  return { workspaceId, action: 'audit.anchored', data: { seq, hash, anchored_at, jws } }
}

interface Published {
  workspaceId: string
  anchor: AuditAnchor
}

/**
 * Stores anchors of heads that have none and appends them to the sink. Appending precedes the
 * commit: an anchor may be published twice, but each stored one has been published.
 */
async function publish(
  trx: Transaction,
  services: Anchoring,
  heads: readonly ChainHead[],
): Promise<Published[]> {
  const anchors = heads.map((head) => ({ head, anchor: anchorOf(services, head) }))
  const rows = anchors.map(({ head, anchor }) => ({
    workspaceId: head.workspace_id,
    seq: head.seq,
    hash: head.hash,
    anchoredAt: anchor.anchored_at,
    jws: anchor.jws,
  }))
  const inserted = await store.insertAnchors.rows(trx, columnsOf(rows))
  const stored = new Set(inserted.map((row) => row.workspace_id))
  const published = anchors
    .filter(({ head }) => stored.has(head.workspace_id))
    .map(({ head, anchor }) => ({ workspaceId: head.workspace_id, anchor }))
  await services.anchorSink.append(published.map(({ anchor }) => JSON.stringify(anchor)))
  return published
}

/** Anchors the heads that we wrote; others are skipped. */
async function anchorHeads(
  services: Anchoring & { db: Db },
  heads: readonly ChainHead[],
): Promise<void> {
  const ours = heads.filter((head) => isOurHead(services.keyring, head))
  await services.db.transaction(async (trx) => {
    const published = await publish(trx, services, ours)
    const changes = published.map(({ workspaceId, anchor }) => changeOf(workspaceId, anchor))
    await publishAll(trx, changes)
  })
}

/**
 * Anchors the moved heads of all workspaces. Writes no audit entry, which would move the head
 * again.
 */
export async function anchorMovedHeads(
  services: Anchoring & { db: Db },
  signal?: AbortSignal,
): Promise<void> {
  const { db } = services
  // The installation's own chain has the smallest id, after which the others are read.
  const own = await store.findHead.first(db, { workspaceId: INSTALLATION })
  if (own !== undefined && !signal?.aborted) await anchorHeads(services, [own])
  const read = (last?: ChainHead) =>
    store.findMovedHeads.rows(db, { workspaceId: last?.workspace_id ?? NIL_UUID, limit: BATCH })
  for await (const heads of pagesOf(BATCH, read)) {
    if (signal?.aborted) return
    await anchorHeads(services, heads)
  }
}

/**
 * Anchors the head of one workspace now.
 * @returns the anchor and whether it is new; an existing one of the same head is returned again
 * @throws Failure audit_log_empty, audit_chain_broken
 */
export async function anchorNow(
  context: Context & AnchorServices,
): Promise<{ anchor: AuditAnchor; isNew: boolean }> {
  const { db, keyring, workspaceId } = context
  return db.transaction(async (trx) => {
    const head = await store.findHead.first(trx, { workspaceId })
    if (head === undefined) throw new Failure('audit_log_empty')
    if (!isOurHead(keyring, head)) throw new Failure('audit_chain_broken')
    const [published] = await publish(trx, context, [head])
    if (published === undefined) {
      const known = await store.findAnchor.one(trx, { workspaceId, seq: head.seq })
      return { anchor: viewOf(known), isNew: false }
    }
    await record(trx, originOf(context), changeOf(workspaceId, published.anchor))
    return { anchor: published.anchor, isNew: true }
  })
}

/** Newest first. */
export async function listAnchors(context: Context, query: PageQuery): Promise<Paged<AuditAnchor>> {
  const { db, workspaceId } = context
  const page = readPage(context, query, `audit-anchors ${workspaceId}`)
  const seq = page.after === undefined ? null : Number(page.after)
  const rows = await store.pageOfAnchors.rows(db, { workspaceId, seq, limit: page.limit + 1 })
  return page.of(rows, ({ seq }) => seq, viewOf)
}
