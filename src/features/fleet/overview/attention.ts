/** What needs the attention of people, as far as the caller may read it. */
import { callerHolds } from '../../../platform/access/holding.ts'
import type { StaffCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { findTroubles } from './attention-store.ts'
import { type Attention, attentionKinds, MAX_EXAMPLES } from './schema.ts'

const prefixOf = (kind: Attention['kind']) => (kind.startsWith('webhook') ? 'whk' : 'dom')

export async function listAttention({
  db,
  caller,
  workspaceId,
}: Context<StaffCaller>): Promise<Attention[]> {
  const rows = await findTroubles.rows(db, {
    workspaceId,
    seesWebhooks: callerHolds(caller, workspaceId, 'events.read'),
    seesDomains: callerHolds(caller, workspaceId, 'domains.read'),
    examples: MAX_EXAMPLES,
  })
  return attentionKinds.flatMap((kind) => {
    const ofKind = rows.filter((row) => row.kind === kind)
    const examples = ofKind.map(({ id, name }) => ({ id: formatId(prefixOf(kind), id), name }))
    return ofKind.slice(0, 1).map(({ count }) => ({ kind, count, examples }))
  })
}
