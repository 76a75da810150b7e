/**
 * The own topic rules of a device or principal as one ordered list: its view, and the only way to
 * change it, one transaction at a time. `If-Match` compares the list's revision.
 */
import type { TopicRule } from '../../../adapters/broker/port.ts'
import { keepsAll } from '../../../adapters/broker/rule-loss.ts'
import type { TopicVariables } from '../../../adapters/broker/topics.ts'
import { type Context, originOf } from '../../../context.ts'
import { requireRevision, found } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import {
  filledRules,
  rulesOfDevice,
  rulesOfPrincipal,
  type SourcedRule,
} from '../credentials/effective-rules.ts'
import type { OwnRule, RuleFinding } from '../../common/topic-rule.ts'
import { nameOf } from '../credentials/identity.ts'
import { keepTemplateRules } from '../rule-narrowing/narrowing.ts'
import { findingsOfOwn } from './rule-findings.ts'
import type { AclList, AclView, RulesEffect } from './schema.ts'
import * as store from './store.ts'
import { topicEffect } from './topic-effect.ts'
import { issueReceipt } from '../revocation/receipt-issue.ts'
import type { Revised } from '../../common/results.ts'

/** The owner of a list; the id is a UUID. */
export type Owner = store.RuleOwnerKey

/** The common properties of owners of a kind. */
const kinds = {
  device: {
    missing: 'device_not_found',
    resource: 'device',
    action: 'device.acl_changed',
    change: 'device',
    idMember: 'device_id',
  },
  principal: {
    missing: 'mqtt_principal_not_found',
    resource: 'mqtt_principal',
    action: 'mqtt_principal.acl_changed',
    change: 'mqtt-principal',
    idMember: 'principal_id',
  },
} as const

function variablesOf(owner: Owner, row: store.RulesRow): TopicVariables {
  const { slug, device_key } = row
  return device_key === null
    ? { slug, principal_id: nameOf(owner.kind, owner.id) }
    : { slug, device_key, device_id: nameOf(owner.kind, owner.id) }
}

export const viewOf = ({ id, ...rule }: OwnRule, index: number): AclView => ({
  ...rule,
  id: formatId('acl', id),
  position: index + 1,
})

/** All rules of the owner, if these are its own ones. */
const sourcedOf = (
  { kind }: Owner,
  { mqtt_acl }: store.RulesRow,
  own: readonly TopicRule[],
): readonly SourcedRule[] =>
  kind === 'device' ? rulesOfDevice(own, mqtt_acl) : rulesOfPrincipal(own)

export const findingsOf = (
  owner: Owner,
  row: store.RulesRow,
  own: readonly TopicRule[] = row.rules,
): RuleFinding[] => findingsOfOwn(sourcedOf(owner, row, own), variablesOf(owner, row))

/** The same rules, as the broker applies them. */
const filledOf = (owner: Owner, row: store.RulesRow, own: readonly TopicRule[]): TopicRule[] =>
  filledRules(sourcedOf(owner, row, own), variablesOf(owner, row))

/** The rights that the owner would gain and lose with other rules of its own. */
export const effectOf = (
  owner: Owner,
  row: store.RulesRow,
  own: readonly TopicRule[],
): RulesEffect => ({
  topics: topicEffect(filledOf(owner, row, row.rules), filledOf(owner, row, own)),
  findings: findingsOf(owner, row, own),
})

const keepsRights = (owner: Owner, before: store.RulesRow, rules: readonly OwnRule[]): boolean =>
  keepsAll(filledOf(owner, before, before.rules), filledOf(owner, before, rules))

export const listOf = (owner: Owner, row: store.RulesRow): Revised<AclList> => ({
  view: { items: row.rules.map(viewOf), next_cursor: null, findings: findingsOf(owner, row) },
  revision: row.revision,
})

/** @throws Failure if the owner does not exist */
export async function readRules(
  { db, workspaceId }: Pick<Context, 'db' | 'workspaceId'>,
  owner: Owner,
): Promise<store.RulesRow> {
  return found(await store.findRules(db, workspaceId, owner), kinds[owner.kind].missing)
}

/** Index of the rule; -1 if missing. */
export const placeOf = ({ rules }: store.RulesRow, id: string | undefined): number =>
  rules.findIndex((rule) => rule.id === id)

export interface Edit {
  rules: OwnRule[]
  change: 'created' | 'updated' | 'deleted' | 'reordered'
  /** UUID of the affected rule. */
  id?: string
}

const shown = (rules: readonly OwnRule[], id: string): object | null => {
  const index = rules.findIndex((rule) => rule.id === id)
  const rule = rules[index]
  if (rule === undefined) return null
  const { action, topic, permission } = rule
  return { action, topic, permission, position: index + 1 }
}

/** For the audit log: the rule before and after, or both orders. */
function detailOf(before: readonly OwnRule[], { rules, id }: Edit): Record<string, unknown> {
  if (id !== undefined) return { before: shown(before, id), after: shown(rules, id) }
  const order = (list: readonly OwnRule[]) => list.map((rule) => formatId('acl', rule.id))
  return { before: { acl_ids: order(before) }, after: { acl_ids: order(rules) } }
}

/**
 * Changes a list and announces it: processes apply it with their next poll. If rights are
 * lost, a receipt is issued. An unchanged list is not written.
 * @throws Failure if the owner does not exist, precondition_failed, and whatever `make` throws
 */
export function editRules(
  context: Context,
  owner: Owner,
  make: (before: store.RulesRow) => Edit,
): Promise<store.RulesRow> {
  const { db, feed, workspaceId, request } = context
  const { missing, resource, action, change, idMember } = kinds[owner.kind]
  return db.transaction(async (trx) => {
    if (owner.kind === 'device') await keepTemplateRules(trx, workspaceId)
    const before = found(await store.lockRules(trx, workspaceId, owner), missing)
    requireRevision(before.revision, request.ifMatch)
    const edited = make(before)
    const { rules, id } = edited
    if (JSON.stringify(rules) === JSON.stringify(before.rules)) return before
    const revision = await store.writeRules(trx, workspaceId, owner, rules)
    await feed.announce(trx, change, owner.id)
    const name = nameOf(owner.kind, owner.id)
    if (!keepsRights(owner, before, rules)) await issueReceipt(context, trx, action, name, {})
    await record(trx, originOf(context), {
      workspaceId,
      action,
      resource: { kind: resource, id: name },
      ...(owner.kind === 'device' && { subjectId: owner.id }),
      data: {
        [idMember]: name,
        change: edited.change,
        ...(id !== undefined && { acl_id: formatId('acl', id) }),
      },
      detail: detailOf(before.rules, edited),
    })
    return { ...before, rules, revision }
  })
}
