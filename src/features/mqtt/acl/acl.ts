/** The operations' rules on own topic rules of devices and principals. */
import type { Context } from '../../../context.ts'
import { Failure, type FieldError, invalid, withinLimit } from '../../../platform/errors/errors.ts'
import { formatId, newUuid, parseId } from '../../../platform/lib/ids.ts'
import type { OwnRule } from '../../common/topic-rule.ts'
import { timestamp } from '../../common/shapes.ts'
import {
  editRules,
  effectOf,
  findingsOf,
  listOf,
  type Owner,
  placeOf,
  readRules,
  viewOf,
} from './acl-list.ts'
import { topicRuleError } from './rule-check.ts'
import * as schema from './schema.ts'
import type { RulesRow } from './store.ts'
import type { Revised } from '../../common/results.ts'

export const listAcls = async (context: Context, owner: Owner): Promise<Revised<schema.AclList>> =>
  listOf(owner, await readRules(context, owner))

/**
 * Normalizes the rule before it is stored: a literal slug could change and later belong to another
 * workspace.
 */
function checked<R extends Pick<OwnRule, 'action' | 'topic' | 'permission'>>(
  { kind }: Owner,
  { slug }: RulesRow,
  rule: R,
  pointer = '/topic',
): R {
  const { topic } = rule
  const kept = topic.startsWith(`${slug}/`) ? `{slug}${topic.slice(slug.length)}` : topic
  const error = topicRuleError(kind, { ...rule, topic: kept })
  if (error !== undefined) throw invalid(pointer, error)
  return { ...rule, topic: kept }
}

function changedOf(owner: Owner, row: RulesRow, id: string): Revised<schema.ChangedAcl> {
  const index = placeOf(row, id)
  const view = viewOf(row.rules[index] as OwnRule, index)
  return { view: { ...view, findings: findingsOf(owner, row) }, revision: row.revision }
}

/** @throws Failure limit_reached */
const withinRules = (present: number): void =>
  withinLimit(present, 'acls', schema.MAX_ACLS, 'rules of its own', 'A device or a principal has')

export async function addAcl(
  context: Context,
  owner: Owner,
  { before_id, ...input }: schema.CreateAcl,
): Promise<Revised<schema.ChangedAcl>> {
  const id = newUuid()
  const now = timestamp(context.clock.now())
  const row = await editRules(context, owner, (before) => {
    withinRules(before.rules.length)
    const rule = { ...checked(owner, before, input), id, created_at: now, updated_at: now }
    const next =
      before_id === undefined ? before.rules.length : placeOf(before, parseAcl(before_id))
    if (next < 0) throw invalid('/before_id', 'is not a rule of this list')
    return { rules: before.rules.toSpliced(next, 0, rule), change: 'created', id }
  })
  return changedOf(owner, row, id)
}

const parseAcl = (id: string): string | undefined => parseId('acl', id)

/** @throws Failure acl_not_found */
function requirePlace(row: RulesRow, id: string): number {
  const place = placeOf(row, id)
  if (place < 0) throw new Failure('acl_not_found')
  return place
}

export async function changeAcl(
  context: Context,
  owner: Owner,
  id: string,
  input: schema.UpdateAcl,
): Promise<Revised<schema.ChangedAcl>> {
  const row = await editRules(context, owner, (before) => {
    const place = requirePlace(before, id)
    const present = before.rules[place] as OwnRule
    const next = checked(owner, before, { ...present, ...input })
    const isSame = JSON.stringify(next) === JSON.stringify(present)
    const rule = isSame ? present : { ...next, updated_at: timestamp(context.clock.now()) }
    return { rules: before.rules.with(place, rule), change: 'updated', id }
  })
  return changedOf(owner, row, id)
}

export async function deleteAcl(context: Context, owner: Owner, id: string): Promise<void> {
  await editRules(context, owner, (before) => {
    const rules = before.rules.toSpliced(requirePlace(before, id), 1)
    return { rules, change: 'deleted', id }
  })
}

/** A missing or additional rule means that the order was based on an outdated list. */
function requireSame(before: RulesRow, ids: readonly (string | undefined)[]): void {
  const errors: FieldError[] = [
    ...ids.flatMap((id, index) =>
      placeOf(before, id) < 0
        ? [{ pointer: `/acl_ids/${index}`, message: 'is not a rule of this list' }]
        : [],
    ),
    ...before.rules.flatMap(({ id }) =>
      ids.includes(id) ? [] : [{ pointer: '/acl_ids', message: `lacks ${formatId('acl', id)}` }],
    ),
  ]
  if (errors.length > 0) throw new Failure('acl_ids_differ', { errors })
}

export async function reorderAcls(
  context: Context,
  owner: Owner,
  { acl_ids }: schema.ReorderAcls,
): Promise<Revised<schema.AclList>> {
  const ids = acl_ids.map(parseAcl)
  const row = await editRules(context, owner, (before) => {
    requireSame(before, ids)
    const rules = ids.map((id) => before.rules[placeOf(before, id)] as OwnRule)
    return { rules, change: 'reordered' }
  })
  return listOf(owner, row)
}

/**
 * The rights that other rules would give and take; nothing changes.
 * @throws Failure invalid_request, or limit_reached
 */
export async function previewAcls(
  context: Context,
  owner: Owner,
  { rules }: schema.PreviewAcls,
): Promise<schema.RulesEffect> {
  const row = await readRules(context, owner)
  withinRules(rules.length - 1)
  const next = rules.map((rule, at) => checked(owner, row, rule, `/rules/${at}/topic`))
  return effectOf(owner, row, next)
}
