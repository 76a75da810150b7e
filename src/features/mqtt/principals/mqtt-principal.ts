/**
 * The rules of MQTT principals: logins that are not devices, with rights given by topic rules only.
 */
import type { StaffCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import { unlessTaken } from '../../../platform/database/connect.ts'
import { invalid, withinLimit } from '../../../platform/errors/errors.ts'
import { changedFields } from '../../../platform/record/record.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { DAY_S, timeOf } from '../../../platform/lib/time.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { lockToAct } from '../../team/members/acting-user.ts'
import { mqttCredentialsOf } from '../../common/mqtt-credentials-shape.ts'
import { canonicalTime, timestampOrNull } from '../../common/shapes.ts'
import { changePrincipal, lockPrincipal, recordPrincipal } from './principal-change.ts'
import { generatePassword } from './principal-secret.ts'
import { viewOf } from './principal-view.ts'
import * as schema from './schema.ts'
import * as store from './store.ts'
import type { Paged, Revised } from '../../common/results.ts'
import { readerOf } from '../../common/resource.ts'
import { creatorOf } from '../../../platform/record/event.ts'

const MAX_PRINCIPALS = 1_000
const WEEK_S = 7 * DAY_S

function requireFuture(expiresAt: string | null | undefined, now: number): void {
  if (typeof expiresAt === 'string' && timeOf(expiresAt) <= now) {
    throw invalid('/expires_at', 'must lie in the future')
  }
}

/** Under the lock in which the creator may be removed. */
export async function createMqttPrincipal(
  context: Context<StaffCaller>,
  input: schema.CreateMqttPrincipal,
): Promise<schema.CreatedMqttPrincipal> {
  const { db, keyring, clock, workspaceId } = context
  requireFuture(input.expires_at, clock.now())
  const { password, hash } = generatePassword(keyring)
  const creation = db.transaction(async (trx) => {
    const { requirePermission } = await lockToAct(context, trx)
    requirePermission('mqtt.write')
    // The lock also serializes creation: each counts the previous ones.
    const principals = (await store.countPrincipals.one(trx, { workspaceId })).principals
    const slug = (await store.slugOf.one(trx, { id: workspaceId })).slug
    withinLimit(principals, 'mqtt_principals', MAX_PRINCIPALS, 'MQTT principals')
    const id = newUuid()
    const row = await store.insertPrincipal.one(trx, {
      workspaceId,
      id,
      name: input.name,
      description: input.description ?? '',
      expiresAt: canonicalTime(input.expires_at ?? null),
      rotationOverlapS: input.rotation_overlap_s ?? WEEK_S,
      createdBy: creatorOf(originOf(context)),
    })
    await store.insertFirstSecret.run(trx, { workspaceId, principalId: id, hash })
    const view = viewOf(row, clock.now())
    await context.passwordSync.issued(trx, workspaceId, [{ principalId: view.id, password }])
    const recorded = { id: view.id, name: view.name }
    await recordPrincipal(context, trx, 'mqtt_principal.created', recorded)
    const endpoint = await context.mqttEndpointOf(workspaceId)
    const login = { username: view.id, password, topicPrefix: slug }
    return { ...view, mqtt_credentials: mqttCredentialsOf(endpoint, login) }
  })
  return unlessTaken(creation, 'mqtt_principals_name', 'mqtt_principal_name_taken')
}

export function listMqttPrincipals(
  context: Context,
  query: schema.PrincipalPage,
): Promise<Paged<schema.MqttPrincipalView>> {
  const now = context.clock.now()
  return listFiltered(context, query, {
    name: 'mqtt-principals',
    fields: schema.principalFields,
    pageOf: store.pageOfPrincipals,
    view: (row) => viewOf(row, now),
  })
}

const read = readerOf(store.findPrincipal, 'mqtt_principal_not_found')

export async function getMqttPrincipal(
  context: Context,
  principalId: string,
): Promise<Revised<schema.MqttPrincipalView>> {
  const row = await read(context.db, context, principalId)
  return { view: viewOf(row, context.clock.now()), revision: row.revision }
}

/** The mutable members of the public view. */
const FIELDS = ['name', 'description', 'expires_at', 'rotation_overlap_s'] as const

const fieldsAfter = (
  row: store.PrincipalRow,
  { name, description, expires_at, rotation_overlap_s }: schema.UpdateMqttPrincipal,
) => ({
  name: name ?? row.name,
  description: description ?? row.description,
  expiresAt: expires_at === undefined ? timestampOrNull(row.expires_at) : canonicalTime(expires_at),
  rotationOverlapS: rotation_overlap_s ?? row.rotation_overlap_s,
})

/** A new expiry is announced to every process, also for live sessions. */
export async function updateMqttPrincipal(
  context: Context,
  principalId: string,
  input: schema.UpdateMqttPrincipal,
): Promise<Revised<schema.MqttPrincipalView>> {
  const { db, feed, clock, workspaceId } = context
  const change = db.transaction(async (trx) => {
    const before = await lockPrincipal(trx, context, principalId)
    const now = clock.now()
    requireFuture(input.expires_at, now)
    const after = fieldsAfter(before, input)
    const row = await store.updatePrincipal.one(trx, { workspaceId, id: principalId, ...after })
    const view = viewOf(row, now)
    const changed = changedFields(viewOf(before, now), view, FIELDS)
    const names = Object.keys(changed.after)
    if (names.includes('expires_at')) await feed.announce(trx, 'mqtt-principal', principalId)
    const recorded = { id: view.id, changed: names }
    await recordPrincipal(context, trx, 'mqtt_principal.updated', recorded, changed)
    return { view, revision: row.revision }
  })
  return unlessTaken(change, 'mqtt_principals_name', 'mqtt_principal_name_taken')
}

/** Its sessions end in every process, and its retained messages are deleted. */
export const deleteMqttPrincipal = (context: Context, id: string): Promise<void> =>
  changePrincipal(context, id, {
    action: 'mqtt_principal.deleted',
    reaches: 'sessions',
    write: (trx) => store.deletePrincipal.run(trx, { workspaceId: context.workspaceId, id }),
  })
