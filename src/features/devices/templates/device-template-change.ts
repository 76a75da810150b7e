/**
 * Changes of device templates. Each creates a version, and its response lists the topics that
 * devices gain and lose; `dry_run` only computes that response.
 */
import { MAX_COUNT } from '../../common/bounded-count.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db, Transaction } from '../../../platform/database/connect.ts'
import { invalid } from '../../../platform/errors/errors.ts'
import { changedFields, record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import { mergeObjects } from '../../../platform/lib/merge-patch.ts'
import {
  mayNarrow,
  rulesOfTemplate,
  takeTemplateRules,
} from '../../mqtt/rule-narrowing/narrowing.ts'
import { findingsOfTemplate } from '../../mqtt/acl/rule-findings.ts'
import { topicEffect } from '../../mqtt/acl/topic-effect.ts'
import { lockerOf } from '../../common/resource.ts'
import { timestamp } from '../../common/shapes.ts'
import { checkTemplate } from './device-template-checks.ts'
import { fieldsOf, resourceOf, viewOf } from './device-template-view.ts'
import type * as schema from './schema.ts'
import * as store from './store.ts'
import { issueReceipt } from '../../mqtt/revocation/receipt-issue.ts'
import type { Revised } from '../../common/results.ts'

/** Members that other processes cache, for sessions and for registering devices. */
const ANNOUNCED = ['mqtt_acl', 'serial_format', 'firmware', 'default_config'] as const

type Changed = Revised<schema.ChangedDeviceTemplate>

/** Computes the new template from the current one. */
type Next = (db: Db, row: store.TemplateRow) => Promise<store.TemplateFields>

async function effectOf(
  db: Db,
  before: store.TemplateRow,
  after: store.TemplateFields,
): Promise<schema.TemplateEffect> {
  const counted = await store.countConcerned.one(db, {
    workspaceId: before.workspace_id,
    templateId: before.id,
    limit: MAX_COUNT + 1,
  })
  const is_lower_bound = counted.devices > MAX_COUNT
  const bounded = (count: number) => ({ value: Math.min(count, MAX_COUNT), is_lower_bound })
  return {
    devices: bounded(counted.devices),
    connected: bounded(counted.connected),
    topics: topicEffect(rulesOfTemplate(before.mqtt_acl), rulesOfTemplate(after.mqtt_acl)),
    findings: findingsOfTemplate(after.mqtt_acl),
  }
}

const read = lockerOf(store.findTemplate, 'template_not_found')
const lock = lockerOf(store.lockTemplate, 'template_not_found')

async function write(
  context: Context,
  trx: Transaction,
  before: store.TemplateRow,
  fields: store.TemplateFields,
): Promise<store.TemplateRow> {
  const { feed, workspaceId } = context
  const origin = originOf(context)
  const columns = store.written(fields)
  const row = await store.updateTemplate.one(trx, { workspaceId, id: before.id, ...columns })
  const changed = changedFields(fieldsOf(before), fieldsOf(row))
  const names = Object.keys(changed.after)
  if (ANNOUNCED.some((name) => name in changed.after)) {
    await feed.announce(trx, 'template', before.id)
  }
  const narrowing = { before: before.mqtt_acl, after: row.mqtt_acl }
  if (mayNarrow(narrowing)) {
    const subject = formatId('tpl', before.id)
    await issueReceipt(context, trx, 'template.updated', subject, { template: narrowing })
  }
  const key = { workspaceId, templateId: before.id }
  // An older build may have created the template without a version row.
  await store.insertVersion(trx, {
    ...key,
    version: before.revision,
    fields: fieldsOf(before),
    changed: [],
    actor: null,
    at: timestamp(before.updated_at),
  })
  await store.insertVersion(trx, {
    ...key,
    version: row.revision,
    fields: fieldsOf(row),
    changed: names,
    actor: origin.actor,
  })
  const view = viewOf(row)
  await record(trx, origin, {
    workspaceId,
    action: 'template.updated',
    resource: resourceOf(view),
    data: { template_id: view.id, changed: names },
    detail: changed,
  })
  return row
}

async function change(
  context: Context,
  templateId: string,
  isDryRun: boolean,
  next: Next,
): Promise<Changed> {
  const { db, workspaceId } = context
  const changed = async (
    on: Db,
    before: store.TemplateRow,
    write: (fields: store.TemplateFields) => MaybePromise<store.TemplateRow>,
  ): Promise<Changed> => {
    const fields = await next(on, before)
    checkTemplate(fields)
    const row = await write(fields)
    const effect = await effectOf(on, before, row)
    return { view: { ...viewOf(row), effect }, revision: row.revision }
  }
  if (isDryRun) {
    const before = await read(db, context, templateId)
    return changed(db, before, (fields) => ({ ...before, ...fields }))
  }
  return db.transaction(async (trx) => {
    await takeTemplateRules(trx, workspaceId)
    const before = await lock(trx, context, templateId)
    return changed(trx, before, (fields) => write(context, trx, before, fields))
  })
}

/** Only present members change; `default_config` is merged (RFC 7396). */
export const updateDeviceTemplate = (
  context: Context,
  templateId: string,
  input: schema.UpdateDeviceTemplate,
  isDryRun: boolean,
): Promise<Changed> =>
  change(context, templateId, isDryRun, async (_db, row) =>
    fieldsOf({
      ...row,
      ...input,
      default_config: mergeObjects(row.default_config, input.default_config ?? {}),
    }),
  )

/** Creates a new version with the contents of an earlier one; no version is lost. */
export const rollBackDeviceTemplate = (
  context: Context,
  templateId: string,
  { version }: schema.RollBack,
  isDryRun: boolean,
): Promise<Changed> =>
  change(context, templateId, isDryRun, async (db, row) => {
    const key = { workspaceId: row.workspace_id, templateId: row.id, version }
    const found = await store.findVersion.first(db, key)
    if (found === undefined) throw invalid('/version', 'is not a version of this template')
    return fieldsOf(found.fields)
  })
