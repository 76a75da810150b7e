/** The overview of a workspace: how many of what there is, and what needs attention. */
import { callerHolds } from '../../../platform/access/holding.ts'
import type { StaffCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { type BoundedCount, boundedCount, MAX_COUNT } from '../../common/bounded-count.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { findTroubles } from './attention-store.ts'
import { type Attention, attentionKinds, MAX_EXAMPLES, type Overview } from './schema.ts'
import { countOverview, countRefusals } from './store.ts'

function prefixOf(kind: Attention['kind']) {
  if (kind === 'rotation_halted') return 'cmp'
  if (kind === 'device_client_id_conflict') return 'dev'
  if (kind === 'login_client_id_conflict') return 'mqp'
  return kind.startsWith('webhook') ? 'whk' : 'dom'
}

/** The resources that need the attention of people and that the caller may read. */
async function listAttention({
  db,
  caller,
  workspaceId,
}: Context<StaffCaller>): Promise<Attention[]> {
  const rows = await findTroubles.rows(db, {
    workspaceId,
    seesWebhooks: callerHolds(caller, workspaceId, 'events.read'),
    seesDomains: callerHolds(caller, workspaceId, 'domains.read'),
    seesLogins: callerHolds(caller, workspaceId, 'mqtt.read'),
    examples: MAX_EXAMPLES,
  })
  return attentionKinds.flatMap((kind) => {
    const ofKind = rows.filter((row) => row.kind === kind)
    const examples = ofKind.map(({ id, name }) => ({ id: formatId(prefixOf(kind), id), name }))
    return ofKind.slice(0, 1).map(({ count }) => ({ kind, count, examples }))
  })
}

export async function getOverview(context: Context<StaffCaller>): Promise<Overview> {
  const { db, caller, workspaceId } = context
  const counts = await countOverview.one(db, { workspaceId, limit: MAX_COUNT + 1 })
  const refusals = await countRefusals.rows(db, { workspaceId, limit: MAX_COUNT })
  const seesKeys = callerHolds(caller, workspaceId, 'api_keys.read')
  const bounded = Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name, boundedCount(count)]),
  ) as Record<keyof typeof counts, BoundedCount>
  const { device_templates, provision_keys, open_jobs, ...devices } = bounded
  return {
    devices,
    device_templates,
    provision_keys: seesKeys ? provision_keys : null,
    open_jobs,
    attention: await listAttention(context),
    refusals,
  }
}
