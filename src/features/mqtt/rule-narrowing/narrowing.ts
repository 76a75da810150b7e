/** The devices that lose rights when their template's rules change. */
import type { TopicRule } from '../../../adapters/broker/port.ts'
import { keepsAll } from '../../../adapters/broker/rule-loss.ts'
import { DEFAULT_DEVICE_RULES, intersects, topicFiller } from '../../../adapters/broker/topics.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import * as store from './store.ts'

/** `mqtt_acl` of a device's template before and after; empty or null: the default rules. */
export interface Narrowing {
  before: readonly TopicRule[] | null
  after: readonly TopicRule[] | null
}

/** The names that a device's topics consist of. */
export interface NamedDevice {
  /** UUID. */
  id: string
  slug: string
  device_key: string
}

/** The rules that apply to devices of a template with this `mqtt_acl`; null: without a template. */
export const rulesOfTemplate = (acl: readonly TopicRule[] | null): readonly TopicRule[] =>
  acl === null || acl.length === 0 ? DEFAULT_DEVICE_RULES : acl

/** A variable may have any value, including one that another rule contains literally. */
const widened = (topic: string): string =>
  topic
    .split('/')
    .map((level) => (level.includes('{') ? '+' : level))
    .join('/')

const mayTouch = (left: string, right: string): boolean => intersects(widened(left), widened(right))

/** False only if no device can lose anything, whatever its key and own rules. */
export const mayNarrow = ({ before, after }: Narrowing): boolean =>
  !keepsAll(rulesOfTemplate(before), rulesOfTemplate(after), mayTouch)

/**
 * Whether this device loses rights. Its own rules come first and stay, so they need not be known:
 * it keeps what the template's rules keep.
 */
export function losesBy({ before, after }: Narrowing, device: NamedDevice): boolean {
  const { slug, device_key, id } = device
  const fill = topicFiller({ slug, device_key, device_id: formatId('dev', id) })
  const filled = (acl: readonly TopicRule[] | null): TopicRule[] =>
    rulesOfTemplate(acl).map((rule) => ({ ...rule, topic: fill(rule.topic) }))
  return !keepsAll(filled(before), filled(after))
}

/** A device that changes its template; UUIDs, null: none. */
export interface TemplateMove {
  id: string
  device_key: string
  from: string | null
  to: string | null
}

/**
 * Call before a transaction that changes devices' rules other than those of templates locks any
 * row: template rules then stay fixed until it ends. Otherwise two overlapping changes could each
 * lose nothing alone, but together lose something.
 */
export const keepTemplateRules = (trx: Db, workspaceId: string): Promise<void> =>
  store.keepTemplateRules.run(trx, { workspaceId })

/** The same for a transaction that changes template rules, which runs exclusively. */
export const takeTemplateRules = (trx: Db, workspaceId: string): Promise<void> =>
  store.takeTemplateRules.run(trx, { workspaceId })

/**
 * Rules that devices of a template may still have on external brokers: the former ones, until
 * sessions that lost rights are ended. Devices that leave the template meanwhile are not
 * considered.
 */
async function readUnannounced(
  trx: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<(id: string | null) => readonly Narrowing['before'][]> {
  const names = ids.map((id) => formatId('tpl', id))
  const unannounced = await store.unannouncedRules.rows(trx, { workspaceId, subjects: names })
  return (id) =>
    unannounced
      .filter(({ subject }) => id !== null && subject === formatId('tpl', id))
      .map(({ before }) => before)
}

/**
 * Devices that lose rights by their new template. The transaction must hold one of the locks above.
 */
export async function devicesLosingAccess(
  trx: Db,
  workspaceId: string,
  moves: readonly TemplateMove[],
): Promise<string[]> {
  if (moves.length === 0) return []
  const ids = [...new Set(moves.flatMap(({ from, to }) => [from, to]).filter((id) => id !== null))]
  const { slug, acls } = await store.templateRules(trx, workspaceId, ids)
  const unannouncedOf = await readUnannounced(trx, workspaceId, ids)
  const aclOf = (id: string | null): Narrowing['before'] =>
    (id === null ? undefined : acls.get(id)) ?? null
  const known = new Map<string, Narrowing[]>()
  /** The rights that any device can lose by such a move. */
  const narrowingsOf = (from: string | null, to: string | null): Narrowing[] => {
    const key = `${from} ${to}`
    const found =
      known.get(key) ??
      [aclOf(from), ...unannouncedOf(from)]
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
