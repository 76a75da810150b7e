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

/** Those of the devices that lose something by the template that they have from now on. */
export async function losersOf(
  trx: Db,
  workspaceId: string,
  moves: readonly TemplateMove[],
): Promise<string[]> {
  if (moves.length === 0) return []
  const ids = new Set(moves.flatMap(({ from, to }) => [from, to]).filter((id) => id !== null))
  const { slug, acls } = await store.templateRules(trx, workspaceId, [...ids])
  const aclOf = (id: string | null): readonly TopicRule[] | null =>
    (id === null ? undefined : acls.get(id)) ?? null
  const known = new Map<string, boolean>()
  const mayLose = (key: string, narrowing: Narrowing): boolean => {
    const may = known.get(key) ?? mayNarrow(narrowing)
    known.set(key, may)
    return may
  }
  return moves
    .filter(({ id, device_key, from, to }) => {
      const narrowing = { before: aclOf(from), after: aclOf(to) }
      return mayLose(`${from} ${to}`, narrowing) && losesBy(narrowing, { id, slug, device_key })
    })
    .map(({ id }) => id)
}
