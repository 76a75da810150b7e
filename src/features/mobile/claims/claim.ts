/** Claims started by a phone: created, awaited, cancelled. */
import type { MoidCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import { longPoll } from '../../../platform/database/long-poll.ts'
import { requireRevision, Failure, found, invalid } from '../../../platform/errors/errors.ts'
import { countedUnder, recordOrCount } from '../../../platform/record/counting.ts'
import { newClaimCode } from '../claim-bindings/claim-code.ts'
import { formatId, newUuid, parseId } from '../../../platform/lib/ids.ts'
import { requireActiveWorkspace } from '../../team/active-workspaces/active-workspace.ts'
import { holdsDeviceIn } from '../identities/session.ts'
import { requireUnboundPoint } from '../identities/unbound-limit.ts'
import { DEFAULT_CODE_LIFETIME_SECONDS } from '../../common/claim-code-shapes.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { readPage, type PageQuery } from '../../common/paging.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import type { Db } from '../../../platform/database/connect.ts'
import * as schema from './schema.ts'
import * as store from './store.ts'
import type { Paged, Revised } from '../../common/results.ts'
import { rowView } from '../../common/row-view.ts'

/** Open claims per mobile identity: each is a code that could be guessed. */
const MAX_OPEN_CLAIMS = 5

const formatOrNull = (prefix: 'dev' | 'moid', uuid: string | null): string | null =>
  uuid === null ? null : formatId(prefix, uuid)

const viewOf = rowView<store.ClaimRow>()(schema.ClaimView, {
  claim_id: (row) => formatId('clm', row.id),
  ended_at: (row) => timestampOrNull(row.status === 'expired' ? row.expires_at : row.ended_at),
})

/** The event of a claim, without its code. */
export const claimChange = (
  action: 'claim.created' | 'claim.cancelled' | 'claim.expired',
  row: store.ClaimRow,
) => ({
  workspaceId: row.workspace_id,
  action,
  resource: { kind: 'claim', id: formatId('clm', row.id) },
  data: {
    claim_id: formatId('clm', row.id),
    moid_id: formatOrNull('moid', row.moid_id),
    device_id: formatOrNull('dev', row.device_id),
    expires_at: timestamp(row.expires_at),
  },
})

/**
 * The workspace that a call is about.
 * @returns null if a global session names none
 * @throws Failure workspace_not_found if a session locked to one workspace names another
 */
export function workspaceOf(caller: MoidCaller, named: string | undefined): string | null {
  const workspaceId = named === undefined ? undefined : parseId('ws', named)
  if (caller.workspaceId === null) return workspaceId ?? null
  if (workspaceId !== undefined && workspaceId !== caller.workspaceId) {
    throw new Failure('workspace_not_found')
  }
  return caller.workspaceId
}

export async function insertWithNewCode(
  context: Pick<Context, 'keyring'>,
  trx: Db,
  claim: Omit<store.NewClaim, 'id' | 'codeHash'>,
): Promise<{ row: store.ClaimRow; claimCode: string }> {
  for (;;) {
    const claimCode = newClaimCode()
    const codeHash = context.keyring.hashSecret(claimCode)
    const row = await store.insertClaim.first(trx, { ...claim, id: newUuid(), codeHash })
    if (row !== undefined) return { row, claimCode }
  }
}

export async function createClaim(
  context: Context<MoidCaller>,
  input: schema.CreateClaim,
): Promise<schema.CreatedClaim> {
  const { db, caller } = context
  const { moidId } = caller
  const workspaceId = workspaceOf(caller, input.workspace_id)
  if (workspaceId === null) {
    throw invalid('/workspace_id', 'is missing: a global session names the workspace of the device')
  }
  const isBound = await holdsDeviceIn(context, workspaceId)
  if (!isBound) {
    await requireActiveWorkspace(db, workspaceId)
    await requireUnboundPoint(context, 'moid_claims', workspaceId)
  }
  return db.transaction(async (trx) => {
    await requireActiveWorkspace(trx, workspaceId)
    if (!(await store.lockMoid.any(trx, { id: moidId }))) throw new Failure('credential_rejected')
    if ((await store.countOpenClaims.one(trx, { moidId })).open >= MAX_OPEN_CLAIMS) {
      throw new Failure('too_many_open_claims', {
        limit: { name: 'open_claims', value: MAX_OPEN_CLAIMS },
      })
    }
    const origin = originOf(context)
    const act = { workspaceId, action: 'claim.created' } as const
    const block = isBound ? null : await countedUnder(trx, origin, act)
    const { row, claimCode } = await insertWithNewCode(context, trx, {
      workspaceId,
      countedUnder: block,
      shownBy: 'phone',
      moidId,
      deviceId: null,
      name: input.name ?? null,
      lifetimeSeconds: input.expires_in ?? DEFAULT_CODE_LIFETIME_SECONDS,
    })
    await recordOrCount(trx, origin, claimChange('claim.created', row), block)
    return { ...viewOf(row), claim_code: claimCode }
  })
}

export async function listClaims(
  context: Context<MoidCaller>,
  query: PageQuery,
): Promise<Paged<schema.ClaimView>> {
  const { db, caller } = context
  const { moidId, workspaceId } = caller
  const page = readPage(context, query, `moid-claims ${moidId} ${workspaceId ?? ''}`)
  const rows = await store.pageOfClaims.rows(db, { moidId, workspaceId, ...page.asked })
  return page.of(rows, ({ id }) => id, viewOf)
}

/** Reads a claim; while it is open, waits for a change without holding a connection. */
export async function getClaim(
  context: Context<MoidCaller>,
  claimId: string,
  waitSeconds: number,
): Promise<Revised<schema.ClaimView>> {
  const { db, caller } = context
  const key = { moidId: caller.moidId, id: claimId, workspaceId: caller.workspaceId }
  const row = await longPoll(context, {
    ref: claimId,
    waitSeconds,
    read: async () => found(await store.findClaim.first(db, key), 'claim_not_found'),
    isSettled: ({ status }) => status !== 'open',
    settlesInMs: ({ open_ms }) => open_ms,
  })
  return { view: viewOf(row), revision: row.revision }
}

/** Idempotent: cancelling again succeeds, because a response may get lost. */
export async function cancelClaim(context: Context<MoidCaller>, claimId: string): Promise<void> {
  const { db, feed, caller, request } = context
  await db.transaction(async (trx) => {
    const key = { moidId: caller.moidId, id: claimId, workspaceId: caller.workspaceId }
    const row = found(await store.lockClaim.first(trx, key), 'claim_not_found')
    if (row.status === 'cancelled') return
    if (row.status !== 'open') {
      throw new Failure('invalid_transition', {
        detail: `The claim is ${row.status}; only an open one can become cancelled.`,
      })
    }
    requireRevision(row.revision, request.ifMatch)
    await store.markCancelled.run(trx, { workspaceId: row.workspace_id, id: claimId })
    await feed.announce(trx, 'claim', claimId)
    const change = claimChange('claim.cancelled', row)
    await recordOrCount(trx, originOf(context), change, row.counted_under)
  })
}

const workspaceViewOf = rowView<store.WorkspaceClaimRow>()(schema.WorkspaceClaim, {
  claim_id: (row) => formatId('clm', row.id),
})

/** The claims of a workspace, as staff see them. */
export const listWorkspaceClaims = (context: Context, query: schema.ListWorkspaceClaims) =>
  listFiltered(context, query, {
    name: 'claims',
    fields: schema.workspaceClaimFields,
    pageOf: store.pageOfWorkspaceClaims,
    view: workspaceViewOf,
  })
