/** The rules of workspaces: created and owned by users. */
import { requireFreshProof } from '../../../platform/access/fresh-proof.ts'
import { callerHolds, permissionDenied } from '../../../platform/access/holding.ts'
import type { Role } from '../../../platform/access/permissions.ts'
import type { KnownCaller, UserCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf, type Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import {
  requireRevision,
  Failure,
  found,
  invalid,
  withinLimit,
} from '../../../platform/errors/errors.ts'
import type { EventType, Origin } from '../../../platform/record/event.ts'
import { changedFields, record } from '../../../platform/record/record.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { requireOrdinarySession } from '../../identity/sessions/ordinary-session.ts'
import { issueReceipt } from '../../mqtt/revocation/receipt-issue.ts'
import { readPage, type PageQuery } from '../../common/paging.ts'
import { type CreateWorkspace, type UpdateWorkspace, WorkspaceView } from './schema.ts'
import * as store from './store.ts'
import type { Paged, Revised } from '../../common/results.ts'
import { rowView } from '../../common/row-view.ts'

/** Workspaces per owner, to stop runaway scripts. */
export const MAX_OWNED_WORKSPACES = 100

/** Slugs that people or brokers might mistake for parts of the installation. */
const reserved: ReadonlySet<string> = new Set([
  'admin',
  'api',
  'broker',
  'console',
  'mooring',
  'mqtt',
  'service',
  'status',
  'system',
  'www',
])

const viewOf = rowView<store.WorkspaceRow, [role: Role]>()(WorkspaceView, {
  role: (_row, role) => role,
})

/** A change of a workspace, for its log and its feed. */
export function workspaceChange<Action extends Extract<EventType, `workspace.${string}`>>(
  action: Action,
  workspaceId: string,
  data: Record<string, unknown> = {},
) {
  const id = formatId('ws', workspaceId)
  return {
    workspaceId,
    action,
    resource: { kind: 'workspace', id },
    data: { workspace_id: id, ...data },
  }
}

/** A platform key acts as an admin; other callers have passed the gate. */
const roleOf = (caller: KnownCaller, workspaceId: string): Role =>
  (caller.kind === 'user' ? caller.roles.get(workspaceId) : undefined) ?? 'admin'

/** @throws Failure invalid_request for a reserved slug */
export function requireFreeName(slug: string, pointer = '/slug'): void {
  if (reserved.has(slug)) throw invalid(pointer, 'is reserved; choose another one')
}

/**
 * Creates a workspace with its owner.
 * @throws Failure credential_rejected if the account was deleted meanwhile; slug_taken,
 *   limit_reached, invalid_request for a reserved slug
 */
export function createWorkspace(
  services: Pick<Services, 'db' | 'feed'>,
  origin: Origin,
  input: CreateWorkspace & { ownerId: string },
): Promise<WorkspaceView> {
  const { name, slug, ownerId } = input
  requireFreeName(slug)
  return services.db.transaction(async (trx) => {
    if (!(await store.lockOwner.any(trx, { id: ownerId }))) throw new Failure('credential_rejected')
    const owned = (await store.countOwnedWorkspaces.one(trx, { userId: ownerId })).owned
    withinLimit(owned, 'owned_workspaces', MAX_OWNED_WORKSPACES, 'workspaces', 'A user owns')
    const row = await store.insertWorkspace(trx, { id: newUuid(), name, slug, ownerId })
    if (row === undefined) throw new Failure('slug_taken')
    // Cached sessions of the owner lack the workspace.
    await services.feed.announce(trx, 'user', ownerId)
    const view = viewOf(row, 'owner')
    const change = workspaceChange('workspace.created', row.id, { name, slug })
    await record(trx, origin, { ...change, detail: { owner: formatId('usr', ownerId) } })
    return view
  })
}

/** @throws Failure permission_denied for a session that is valid for one workspace only */
export async function createOwnWorkspace(
  context: Context<UserCaller>,
  input: CreateWorkspace,
): Promise<WorkspaceView> {
  requireOrdinarySession(context, 'create another one')
  const { userId: ownerId } = context.caller
  return createWorkspace(context, originOf(context), { ...input, ownerId })
}

function visibleTo(caller: KnownCaller): string[] {
  if (caller.kind === 'user') return [...caller.roles.keys()]
  return caller.kind === 'platform-key' ? [caller.workspaceId] : []
}

export async function listWorkspaces(
  context: Context,
  query: PageQuery,
): Promise<Paged<WorkspaceView>> {
  const { db, caller } = context
  const page = readPage(context, query, `workspaces ${originOf(context).actor.id}`)
  const rows = await store.pageOfWorkspaces.rows(db, { ids: visibleTo(caller), ...page.asked })
  return page.of(
    rows,
    ({ id }) => id,
    (row) => viewOf(row, roleOf(caller, row.id)),
  )
}

export async function getWorkspace(context: Context): Promise<Revised<WorkspaceView>> {
  const { db, caller, workspaceId } = context
  const row = found(await store.findWorkspace.first(db, { id: workspaceId }), 'workspace_not_found')
  return { view: viewOf(row, roleOf(caller, workspaceId)), revision: row.revision }
}

/** The UUID of a workspace by slug, for the command line. */
export async function workspaceOfSlug(db: Db, slug: string): Promise<string> {
  const row = found(await store.findWorkspaceBySlug.first(db, { slug }), 'workspace_not_found')
  return row.id
}

/** The display name of a workspace. */
export async function findName(db: Db, id: string): Promise<{ name: string; slug: string }> {
  const row = found(await store.findWorkspace.first(db, { id }), 'workspace_not_found')
  return { name: row.name, slug: row.slug }
}

/** The slug is the topic prefix given to devices, so it is fixed by the first device. */
async function requireMovable(trx: Services['db'], workspaceId: string): Promise<void> {
  if ((await store.workspaceHasDevices.one(trx, { workspaceId })).found)
    throw new Failure('slug_fixed')
}

/** An owner without a second factor would be locked out by requiring one. */
function requireOwnerWithFactor({ caller, workspaceId, clock }: Context): void {
  const holds = caller.kind === 'user' && callerHolds(caller, workspaceId, 'workspace.secure')
  if (!holds) throw permissionDenied('workspace.secure')
  if (!caller.mfa) throw new Failure('mfa_required')
  requireFreshProof(caller, clock.now())
}

function requireStore({ mqttDurable }: Pick<Services, 'mqttDurable'>): void {
  if (mqttDurable !== 'off') return
  const why = 'this installation does not store MQTT sessions'
  throw invalid('/mqtt_durable', `${why}: its operator sets MOORING_MQTT_DURABLE=workspaces`)
}

export async function updateWorkspace(
  context: Context,
  input: UpdateWorkspace,
): Promise<Revised<WorkspaceView>> {
  const { db, caller, workspaceId, request } = context
  const role = roleOf(caller, workspaceId)
  return db.transaction(async (trx) => {
    const before = found(
      await store.lockWorkspace.first(trx, { id: workspaceId }),
      'workspace_not_found',
    )
    requireRevision(before.revision, request.ifMatch)
    const { mfa_required: secured = before.mfa_required } = input
    if (secured !== before.mfa_required) requireOwnerWithFactor(context)
    if (input.mqtt_durable === true && !before.mqtt_durable) requireStore(context)
    const row = await writeChange(context, trx, originOf(context), before, input)
    return { view: viewOf(row, role), revision: row.revision }
  })
}

type ChangeContext = Pick<
  Context,
  'feed' | 'nodeId' | 'mqttBrokers' | 'brokers' | 'workspaceId'
> & { request: Pick<Context['request'], 'links'> }

/** Changes a workspace that is locked. */
async function writeChange(
  context: ChangeContext,
  trx: Db,
  origin: Origin,
  before: store.WorkspaceRow,
  input: UpdateWorkspace,
): Promise<store.WorkspaceRow> {
  const { feed, workspaceId } = context
  const { name, slug, mfa_required, mqtt_durable } = before
  const old = { name, slug, mfa_required, mqtt_durable }
  const wanted = { ...old, ...input }
  const detail = changedFields(old, wanted)
  if (Object.keys(detail.after).length === 0) return before
  const moves = wanted.slug !== old.slug
  if (moves) {
    requireFreeName(wanted.slug)
    await requireMovable(trx, workspaceId)
  }
  const row = await store.updateWorkspace(trx, { id: workspaceId, ...wanted })
  if (row === undefined) throw new Failure('slug_taken')
  // No cache depends on the name.
  if (Object.keys(detail.after).some((changed) => changed !== 'name')) {
    await feed.announce(trx, 'workspace', workspaceId)
  }
  if (moves) {
    // External brokers would keep using the old topics, which may soon belong to another
    // workspace.
    await issueReceipt(context, trx, 'workspace.updated', null)
  }
  const shown = { name: row.name, slug: row.slug }
  const change = workspaceChange('workspace.updated', workspaceId, shown)
  await record(trx, origin, { ...change, detail: { ...detail } })
  return row
}

/**
 * Gives the first workspace of an owner its name and slug, or creates it if there is none any more.
 * @returns its id
 * @throws Failure slug_taken, slug_fixed, invalid_request for a reserved slug
 */
export async function nameFirstWorkspace(
  services: Omit<ChangeContext, 'workspaceId' | 'request'>,
  trx: Db,
  origin: Origin,
  { ownerId, name, slug }: CreateWorkspace & { ownerId: string },
): Promise<string> {
  const first = await store.firstOwnedWorkspace.first(trx, { userId: ownerId })
  const before = first && (await store.lockWorkspace.first(trx, first))
  if (before === undefined) {
    const input = { ownerId, name, slug }
    return (await createWorkspace({ db: trx, feed: services.feed }, origin, input)).id
  }
  const context = { ...services, workspaceId: before.id, request: { links: new Map() } }
  await writeChange(context, trx, origin, before, { name, slug })
  return formatId('ws', before.id)
}
