/**
 * The rules of saved views of the device list. An own view belongs to a membership and ends with
 * it. A shared view belongs to the workspace: it stays when its maker leaves.
 */
import { callerHolds, permissionDenied } from '../../../platform/access/holding.ts'
import type { StaffCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import { type Db, isForeignKeyViolation } from '../../../platform/database/connect.ts'
import {
  Failure,
  found,
  invalid,
  requireRevision,
  withinLimit,
} from '../../../platform/errors/errors.ts'
import { changedFields, record } from '../../../platform/record/record.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { rowView } from '../../common/row-view.ts'
import { countOneAtATime } from '../../team/active-workspaces/active-workspace.ts'
import { readDeviceFilter } from '../filters/device-filter.ts'
import { type CreateView, SavedView, type SavedViews, type UpdateView } from './schema.ts'
import * as store from './store.ts'
import { type Revised, revisedBy } from '../../common/results.ts'
import { creatorOf } from '../../../platform/record/event.ts'

const MAX_OWN = 100
const MAX_SHARED = 200

const viewOf = rowView<store.ViewRow>()(SavedView, { is_shared: (row) => row.user_id === null })

const revisedOf = revisedBy(viewOf)

/** The user whose own views the caller has; null for keys, which have none. */
const personOf = ({ caller }: Context<StaffCaller>): string | null =>
  caller.kind === 'user' ? caller.userId : null

/** Own views belong to a membership, which can end while a view is being created. */
const named = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (isForeignKeyViolation(error)) throw new Failure('workspace_not_found', { cause: error })
    throw store.isNameTaken(error) ? new Failure('view_name_taken') : error
  })

/** @throws Failure permission_denied */
function requireMayShare({ caller, workspaceId }: Context<StaffCaller>): void {
  if (!callerHolds(caller, workspaceId, 'views.share')) throw permissionDenied('views.share')
}

/**
 * The person whose own view it becomes; null if it is shared.
 * @throws Failure invalid_request, permission_denied
 */
function ownerOf(context: Context<StaffCaller>, isShared: boolean): string | null {
  if (isShared) {
    requireMayShare(context)
    return null
  }
  const person = personOf(context)
  if (person === null) throw invalid('/is_shared', 'must be true: a key has no views of its own')
  return person
}

async function requireRoom(trx: Db, workspaceId: string, userId: string | null): Promise<void> {
  const { views } = await store.countViews.one(trx, { workspaceId, userId })
  if (userId === null) withinLimit(views, 'shared_views', MAX_SHARED, 'shared views')
  else withinLimit(views, 'own_views', MAX_OWN, 'views of their own', 'A member has')
}

/** Filters and names of own views are not recorded: only their owner sees them. */
const recordView = (
  context: Context<StaffCaller>,
  trx: Db,
  action: 'view.created' | 'view.updated' | 'view.deleted',
  { id, is_shared, name }: SavedView,
  detail: Record<string, unknown> = {},
): Promise<void> =>
  record(trx, originOf(context), {
    workspaceId: context.workspaceId,
    action,
    resource: { kind: 'view', id },
    data: { view_id: id, is_shared, ...(is_shared && { name }) },
    ...(is_shared && { detail }),
  })

export function createView(context: Context<StaffCaller>, input: CreateView): Promise<SavedView> {
  const { db, workspaceId } = context
  const { name, filter = null, columns = null, is_shared = false } = input
  const userId = ownerOf(context, is_shared)
  const creation = db.transaction(async (trx) => {
    await countOneAtATime(trx, workspaceId)
    await readDeviceFilter({ db: trx }, workspaceId, filter ?? undefined)
    await requireRoom(trx, workspaceId, userId)
    const row = await store.insertView.one(trx, {
      workspaceId,
      id: newUuid(),
      userId,
      name,
      filter,
      columns: columns && JSON.stringify(columns),
      createdBy: creatorOf(originOf(context)),
    })
    const { view } = revisedOf(row)
    await recordView(context, trx, 'view.created', view)
    return view
  })
  return named(creation)
}

export async function listViews(context: Context<StaffCaller>): Promise<SavedViews> {
  const { db, workspaceId } = context
  const rows = await store.listViews.rows(db, { workspaceId, userId: personOf(context) })
  return { items: rows.map((row) => revisedOf(row).view) }
}

export async function getView(
  context: Context<StaffCaller>,
  id: string,
): Promise<Revised<SavedView>> {
  const { db, workspaceId } = context
  const key = { workspaceId, id, userId: personOf(context) }
  return revisedOf(found(await store.findView.first(db, key), 'view_not_found'))
}

const isMaker = (context: Context<StaffCaller>, row: store.ViewRow): boolean =>
  row.created_by === originOf(context).actor.id

/** @throws Failure view_not_found, view_of_another, precondition_failed */
async function lockForChange(
  context: Context<StaffCaller>,
  trx: Db,
  id: string,
): Promise<store.ViewRow> {
  const { caller, workspaceId, request } = context
  const key = { workspaceId, id, userId: personOf(context) }
  const row = found(await store.lockView.first(trx, key), 'view_not_found')
  if (row.user_id === null) {
    const isAdmin = callerHolds(caller, workspaceId, 'workspace.write')
    if (!isAdmin && !isMaker(context, row)) throw new Failure('view_of_another')
    requireMayShare(context)
  }
  requireRevision(row.revision, request.ifMatch)
  return row
}

/** A shared view can only become that of the person who made it. */
function ownerAfter(
  context: Context<StaffCaller>,
  row: store.ViewRow,
  isShared: boolean | undefined,
): string | null {
  const wasShared = row.user_id === null
  if (isShared === undefined || isShared === wasShared) return row.user_id
  if (wasShared && !isMaker(context, row)) throw new Failure('view_of_another')
  return ownerOf(context, isShared)
}

const FIELDS = ['name', 'filter', 'columns', 'is_shared'] as const

export function updateView(
  context: Context<StaffCaller>,
  id: string,
  input: UpdateView,
): Promise<Revised<SavedView>> {
  const { db, workspaceId } = context
  const change = db.transaction(async (trx) => {
    await countOneAtATime(trx, workspaceId)
    const row = await lockForChange(context, trx, id)
    const userId = ownerAfter(context, row, input.is_shared)
    await readDeviceFilter({ db: trx }, workspaceId, input.filter ?? undefined)
    if (userId !== row.user_id) await requireRoom(trx, workspaceId, userId)
    const { name = row.name, filter = row.filter, columns = row.columns } = input
    const after = await store.updateView.one(trx, {
      workspaceId,
      id,
      userId,
      name,
      filter,
      columns: columns && JSON.stringify(columns),
    })
    const revised = revisedOf(after)
    const before = revisedOf(row).view
    const changed = changedFields(before, revised.view, FIELDS)
    // The earlier content of a private view is not recorded either.
    await recordView(context, trx, 'view.updated', revised.view, before.is_shared ? changed : {})
    return revised
  })
  return named(change)
}

export function deleteView(context: Context<StaffCaller>, id: string): Promise<void> {
  const { db, workspaceId } = context
  return db.transaction(async (trx) => {
    const row = await lockForChange(context, trx, id)
    await store.deleteView.run(trx, { workspaceId, id })
    await recordView(context, trx, 'view.deleted', revisedOf(row).view)
  })
}
