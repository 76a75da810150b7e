/** Which devices lose something when the rules of their template become others. */
import type { TopicRule } from '../../broker/port.ts'
import { keepsAll } from '../../broker/rule-loss.ts'
import { DEFAULT_DEVICE_RULES, fillTopic, intersects } from '../../broker/topics.ts'
import type { Db } from '../../database/connect.ts'
import { formatId } from '../../lib/ids.ts'
import * as store from './store.ts'

/** The `mqtt_acl` of a device's template; empty or null: the default rules. */
export interface Narrowing {
  before: readonly TopicRule[] | null
  after: readonly TopicRule[] | null
}

/** What the topics of a device are made of. */
export interface NamedDevice {
  /** UUID. */
  id: string
  slug: string
  device_key: string
}

const effective = (acl: readonly TopicRule[] | null): readonly TopicRule[] =>
  acl === null || acl.length === 0 ? DEFAULT_DEVICE_RULES : acl

/** A variable may have any value, also one that another rule writes out. */
const widened = (topic: string): string =>
  topic
    .split('/')
    .map((level) => (level.includes('{') ? '+' : level))
    .join('/')

const mayTouch = (left: string, right: string): boolean => intersects(widened(left), widened(right))

/** False only if no device, whatever its key and its own rules are, can lose anything. */
export const mayNarrow = ({ before, after }: Narrowing): boolean =>
  !keepsAll(effective(before), effective(after), mayTouch)

/**
 * Whether this device loses something. Its own rules come first and stay, so that it keeps what
 * the rules of the template keep: they need not be known.
 */
export function losesBy({ before, after }: Narrowing, device: NamedDevice): boolean {
  const { slug, device_key, id } = device
  const variables = { slug, device_key, device_id: formatId('dev', id) }
  const filled = (acl: readonly TopicRule[] | null): TopicRule[] =>
    effective(acl).map((rule) => ({ ...rule, topic: fillTopic(rule.topic, variables) }))
  return !keepsAll(filled(before), filled(after))
}

/** A device that gets another template; UUIDs, null: none. */
export interface TemplateMove {
  id: string
  device_key: string
  from: string | null
  to: string | null
}

/**
 * To be called before a transaction locks any row, if it changes what rules a device has besides
 * those of its template: these stay what they are until it ends. Else two changes that overlap
 * could each find that nothing is lost, and both together take something.
 */
export const keepTemplateRules = (trx: Db, workspaceId: string): Promise<void> =>
  store.keepTemplateRules(trx, workspaceId)

/** The same for a transaction that changes the rules of templates: it has its turn alone. */
export const takeTemplateRules = (trx: Db, workspaceId: string): Promise<void> =>
  store.takeTemplateRules(trx, workspaceId)

/**
 * What devices of a template may have on brokers elsewhere besides its rules: those of before,
 * until the sessions that lose by the change are ended. A device that leaves the template meanwhile
 * is not looked at for that change any more.
 */
async function readUntold(
  trx: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<(id: string | null) => readonly Narrowing['before'][]> {
  const names = ids.map((id) => formatId('tpl', id))
  const untold = await store.rulesUntold(trx, workspaceId, names)
  return (id) =>
    untold
      .filter(({ subject }) => id !== null && subject === formatId('tpl', id))
      .map(({ before }) => before)
}

/**
 * Those of the devices that lose something by the template that they have from now on. The
 * transaction keeps the rules of templates, or has taken them.
 */
export async function losersOf(
  trx: Db,
  workspaceId: string,
  moves: readonly TemplateMove[],
): Promise<string[]> {
  if (moves.length === 0) return []
  const ids = [...new Set(moves.flatMap(({ from, to }) => [from, to]).filter((id) => id !== null))]
  const { slug, acls } = await store.templateRules(trx, workspaceId, ids)
  const untoldOf = await readUntold(trx, workspaceId, ids)
  const aclOf = (id: string | null): Narrowing['before'] =>
    (id === null ? undefined : acls.get(id)) ?? null
  const known = new Map<string, Narrowing[]>()
  /** What any device can lose by such a move. */
  const narrowingsOf = (from: string | null, to: string | null): Narrowing[] => {
    const key = `${from} ${to}`
    const found =
      known.get(key) ??
      [aclOf(from), ...untoldOf(from)]
        .map((before) => ({ before, after: aclOf(to) }))
        .filter(mayNarrow)
    known.set(key, found)
    return found
  }
  return moves
    .filter(({ id, device_key, from, to }) =>
      narrowingsOf(from, to).some((each) => losesBy(each, { id, slug, device_key })),
    )
    .map(({ id }) => id)
}
