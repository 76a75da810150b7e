/**
 * Records refused credentials in the audit log. Equal refusals within a second become one entry
 * with a count, written in one transaction, and what exceeds the budget of an address is counted by
 * the hour: a flood of bad credentials must not become a flood of writes.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { originOf } from '../../../context.ts'
import type { ConnectRequest, Refusal as ConnectRefusal } from '../../../adapters/broker/port.ts'
import type { FailureCode } from '../../../platform/errors/errors.ts'
import {
  ALL,
  countActs,
  countedBlock,
  insertAuditRows,
  takeEntries,
} from '../../../platform/record/counting.ts'
import { INSTALLATION, type Origin } from '../../../platform/record/event.ts'
import type { Refusal } from '../../../platform/http/gate-hook.ts'
import { auditRowOf } from '../../../platform/record/record.ts'
import { type Identity, readIdentity } from '../../mqtt/credentials/identity.ts'
import { findWorkspacesOf } from './chain-store.ts'

/** Distinct refusals held at once; beyond this, they are counted by code only. */
const MAX_GROUPS = 200

/** Codes that concern a credential or its limits; others are noise. */
const recorded: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'ambiguous_credentials',
  'credential_rejected',
  'device_already_registered',
  'fresh_authentication_required',
  'key_scope_denied',
  'permission_denied',
  'workspace_not_found',
  'wrong_credential_kind',
])

/** The same for CONNECT. `busy` and `unavailable` mean that the credential was not checked. */
const recordedOfConnects: ReadonlySet<ConnectRefusal> = new Set<ConnectRefusal>([
  'bad_credentials',
  'banned',
  'client_id_invalid',
  'not_authorized',
])
/** Reasons that imply a valid secret. */
const withGoodSecret: ReadonlySet<ConnectRefusal> = new Set<ConnectRefusal>([
  'banned',
  'client_id_invalid',
])

const actorKinds = { device: 'device', principal: 'mqtt-principal', phone: 'mqtt-login' } as const

const ACTION = 'access.refused'
/** Entries in an hour for one address block, and for all: anyone may have many blocks. */
const ENTRIES_OF_ADDRESS = 100
const ENTRIES_OF_ALL = 1_000

/** Replaces the operation id. */
const CONNECT = 'mqtt.connect'

interface Group {
  workspaceId: string
  /** UUID of the device, principal or phone login whose workspace gets the entry. */
  principalUuid?: string | undefined
  origin: Origin
  code: FailureCode | ConnectRefusal
  /** Null: several operations. */
  operationId: string | null
  /** The setting that caused the refusal, if any. */
  rule?: string | undefined
  /** The requested resource, if a rule could determine it. */
  resource?: Refusal['resource']
  /** The claimed and unproven client of a CONNECT. */
  named?: Identity | undefined
  count: number
}

export interface RefusalRecorder {
  onRefused: (refusal: Refusal) => void
  onConnectRefused: (
    request: Pick<ConnectRequest, 'username' | 'address'>,
    reason: ConnectRefusal,
  ) => void
  /** Writes pending entries. Failed writes are retried the next time. */
  flush: () => Promise<void>
}

/**
 * The workspace that gets the entry: the caller's own, never one it merely names. Anyone can create
 * a mobile identity in a workspace, so one without a device there counts as an unknown caller.
 */
function workspaceOf({ caller, workspaceId }: Refusal): string {
  if (workspaceId !== '') return workspaceId
  if (caller?.kind === 'moid' && !caller.holdsDevice) return INSTALLATION
  if (caller === undefined || !('workspaceId' in caller)) return INSTALLATION
  return caller.workspaceId ?? INSTALLATION
}

function groupOf(refusal: Refusal): Group {
  const { caller = { kind: 'anonymous' }, request, code, operationId, rule, resource } = refusal
  const origin = originOf({ caller, request })
  const workspaceId = workspaceOf(refusal)
  return { workspaceId, origin, code, operationId, rule, resource, count: 0 }
}

function groupOfConnect(
  { username = '', address }: Pick<ConnectRequest, 'username' | 'address'>,
  code: ConnectRefusal,
): Group {
  const named = readIdentity(username)
  const principal = withGoodSecret.has(code) ? named : undefined
  return {
    workspaceId: INSTALLATION,
    principalUuid: principal?.id,
    origin: {
      actor: principal
        ? { kind: actorKinds[principal.kind], id: username }
        : { kind: 'anonymous', id: null },
      requestId: null,
      address,
    },
    code,
    operationId: CONNECT,
    named: principal === undefined ? named : undefined,
    count: 0,
  }
}

const restOf = (code: Group['code']): Group => ({
  workspaceId: INSTALLATION,
  origin: { actor: { kind: 'anonymous', id: null }, requestId: null, address: null },
  code,
  operationId: null,
  count: 0,
})

function keyOf({ workspaceId, origin, code, operationId, rule, resource, named }: Group): string {
  const { actor, address } = origin
  const from = [workspaceId, actor.kind, actor.id, address]
  return [...from, code, operationId, rule, resource?.id, named?.name].join(' ')
}

const blockOf = ({ origin }: Group): string => countedBlock(origin.address)

/**
 * Counts what exceeds the budget of its address, or that of all, in the installation's log, where
 * anyone can cause entries.
 * @returns the groups that get an entry of their own
 */
async function withinBudget(trx: Db, groups: readonly Group[]): Promise<readonly Group[]> {
  const entries = new Map<string, number>()
  const outside = groups.filter(({ workspaceId }) => workspaceId === INSTALLATION)
  for (const group of outside) {
    entries.set(blockOf(group), (entries.get(blockOf(group)) ?? 0) + 1)
  }
  const free = await takeEntries(trx, INSTALLATION, ACTION, entries, ENTRIES_OF_ADDRESS)
  // The budget of all comes second, so that one address cannot use it up.
  const wanted = outside.filter((group) => free.has(blockOf(group))).length
  const total = new Map(wanted > 0 ? [[ALL, wanted]] : [])
  const hasRoom = (await takeEntries(trx, INSTALLATION, ACTION, total, ENTRIES_OF_ALL)).size > 0
  const isFree = (group: Group): boolean =>
    group.workspaceId !== INSTALLATION || (hasRoom && free.has(blockOf(group)))
  const counted = groups.filter((group) => !isFree(group))
  await countActs(
    trx,
    counted.map((group) => ({
      workspaceId: INSTALLATION,
      action: ACTION,
      addressBlock: blockOf(group),
      acts: group.count,
    })),
  )
  return groups.filter(isFree)
}

const entryOf = ({ workspaceId, origin, code, operationId, rule, resource, named, count }: Group) =>
  auditRowOf(origin, {
    workspaceId,
    action: ACTION,
    resource,
    detail: {
      operation_id: operationId,
      code,
      rule,
      count,
      ...(named && { [`named_${named.kind}_id`]: named.name }),
    },
  })

export function createRefusalRecorder({ db }: { db: Db }): RefusalRecorder {
  let groups = new Map<string, Group>()

  function add(group: Group, count: number): void {
    const key = keyOf(group)
    const known = groups.get(key)
    if (known !== undefined) known.count += count
    else if (groups.size < MAX_GROUPS || group.operationId === null) {
      groups.set(key, { ...group, count })
    } else add(restOf(group.code), count)
  }

  async function flush(): Promise<void> {
    if (groups.size === 0) return
    const written = groups
    groups = new Map()
    try {
      const ids = [...written.values()].flatMap(({ principalUuid = [] }) => principalUuid)
      const found = ids.length === 0 ? [] : await findWorkspacesOf.rows(db, { ids })
      const homes = new Map(found.map((row) => [row.id, row.workspace_id]))
      const reports = [...written.values()].map((group) => ({
        ...group,
        workspaceId: homes.get(group.principalUuid ?? '') ?? group.workspaceId,
      }))
      await db.transaction(async (trx) => {
        const own = await withinBudget(trx, reports)
        if (own.length > 0) await insertAuditRows(trx, own.map(entryOf))
      })
    } catch (error) {
      for (const group of written.values()) add(group, group.count)
      throw error
    }
  }

  return {
    onRefused(refusal) {
      if (recorded.has(refusal.code)) add(groupOf(refusal), refusal.count ?? 1)
    },
    onConnectRefused(request, reason) {
      if (recordedOfConnects.has(reason)) add(groupOfConnect(request, reason), 1)
    },
    flush,
  }
}
