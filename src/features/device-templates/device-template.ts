/** The rules of device templates: what the devices of one model have in common. */
import type { KnownCaller } from '../../access/principal.ts'
import { type Context, originOf } from '../../context.ts'
import type { Db } from '../../database/connect.ts'
import { demandRevision, Failure } from '../../errors.ts'
import { changedFields, record } from '../../events/record.ts'
import { formatId, newUuid } from '../../lib/ids.ts'
import { mergeObjects } from '../../lib/merge-patch.ts'
import { pageOf, readPage } from '../paging.ts'
import { timestamp } from '../shapes.ts'
import { checkTemplate } from './device-template-checks.ts'
import type { CreateDeviceTemplate, DeviceTemplateView, UpdateDeviceTemplate } from './schema.ts'
import * as store from './store.ts'

/** Templates of one workspace at most, so that a runaway script is stopped. */
const MAX_TEMPLATES = 1_000
/** Counting the devices of a template stops here: a refusal must not cost a walk over a fleet. */
const MAX_COUNT = 1_000

/** What other processes keep in memory: sessions of its devices, and what registering needs. */
const ANNOUNCED = ['mqtt_acl', 'serial_format', 'firmware'] as const

const DEFAULTS = {
  description: '',
  capabilities: [],
  capability_definitions: [],
  default_config: {},
  mqtt_acl: [],
  rotation_overlap_s: 604_800,
  firmware: null,
}

interface Revised {
  view: DeviceTemplateView
  revision: number
}

const fieldsOf = (row: store.TemplateFields): store.TemplateFields => ({
  name: row.name,
  description: row.description,
  serial_format: row.serial_format,
  capabilities: row.capabilities,
  capability_definitions: row.capability_definitions,
  default_config: row.default_config,
  mqtt_acl: row.mqtt_acl,
  rotation_overlap_s: row.rotation_overlap_s,
  firmware: row.firmware && { ...row.firmware, sha256: row.firmware.sha256.toLowerCase() },
})

const viewOf = (row: store.TemplateRow): DeviceTemplateView => ({
  id: formatId('tpl', row.id),
  workspace_id: formatId('ws', row.workspace_id),
  model_key: row.model_key,
  ...fieldsOf(row),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

const resourceOf = (view: DeviceTemplateView) => ({ kind: 'device_template', id: view.id })

export async function createDeviceTemplate(
  context: Context<KnownCaller>,
  input: CreateDeviceTemplate,
): Promise<DeviceTemplateView> {
  const { db, workspaceId } = context
  const fields = fieldsOf({ ...DEFAULTS, ...input })
  checkTemplate(fields)
  return db.transaction(async (trx) => {
    if ((await store.countTemplates(trx, workspaceId)) >= MAX_TEMPLATES) {
      throw new Failure('limit_reached', {
        detail: `A workspace has at most ${MAX_TEMPLATES} device templates.`,
        limit: { name: 'device_templates', value: MAX_TEMPLATES },
      })
    }
    const key = { workspaceId, id: newUuid(), modelKey: input.model_key }
    const row = await store.insertTemplate(trx, key, fields)
    if (row === undefined) throw new Failure('model_key_taken')
    const view = viewOf(row)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'template.created',
      resource: resourceOf(view),
      data: { template_id: view.id, model_key: view.model_key, name: view.name },
    })
    return view
  })
}

export async function listDeviceTemplates(
  context: Context<KnownCaller>,
  query: { limit?: number; cursor?: string; model_key?: string },
): Promise<{ items: DeviceTemplateView[]; next_cursor: string | null }> {
  const { db, keyring, workspaceId } = context
  const list = `device-templates ${workspaceId} ${query.model_key ?? ''}`
  const mac = (text: string): Buffer => keyring.mac('cursor', text)
  const page = readPage(query, list, mac)
  const { after, limit } = page
  const rows = await store.pageOfTemplates(db, workspaceId, after, query.model_key, limit + 1)
  return pageOf(rows, page, list, mac, (row) => row.id, viewOf)
}

export async function getDeviceTemplate(
  context: Context<KnownCaller>,
  templateId: string,
): Promise<Revised> {
  const row = await store.findTemplate(context.db, context.workspaceId, templateId)
  if (row === undefined) throw new Failure('template_not_found')
  return { view: viewOf(row), revision: row.revision }
}

/** Members that are present change; `default_config` is merged (RFC 7396). */
export async function updateDeviceTemplate(
  context: Context<KnownCaller>,
  templateId: string,
  input: UpdateDeviceTemplate,
): Promise<Revised> {
  const { db, feed, workspaceId, request } = context
  return db.transaction(async (trx) => {
    const before = await store.lockTemplate(trx, workspaceId, templateId)
    if (before === undefined) throw new Failure('template_not_found')
    demandRevision(before.revision, request.ifMatch)
    const fields = fieldsOf({
      ...before,
      ...input,
      default_config: mergeObjects(before.default_config, input.default_config ?? {}),
    })
    checkTemplate(fields)
    const row = await store.updateTemplate(trx, workspaceId, templateId, fields)
    const view = viewOf(row)
    const changed = changedFields(fieldsOf(before), fieldsOf(row))
    if (ANNOUNCED.some((name) => name in changed.after)) {
      await feed.announce(trx, 'template', templateId)
    }
    await record(trx, originOf(context), {
      workspaceId,
      action: 'template.updated',
      resource: resourceOf(view),
      data: { template_id: view.id, changed: Object.keys(changed.after) },
      detail: changed,
    })
    return { view, revision: row.revision }
  })
}

async function demandUnused(trx: Db, workspaceId: string, templateId: string): Promise<void> {
  const devices = await store.countDevicesOf(trx, workspaceId, templateId, MAX_COUNT)
  if (devices === 0) return
  const many = devices === MAX_COUNT ? `${MAX_COUNT} or more devices` : `${devices} devices`
  throw new Failure('template_in_use', {
    detail: `${devices === 1 ? '1 device uses' : `${many} use`} this template.`,
  })
}

export async function deleteDeviceTemplate(
  context: Context<KnownCaller>,
  templateId: string,
): Promise<void> {
  const { db, feed, workspaceId, request } = context
  await db.transaction(async (trx) => {
    const check = (found: store.TemplateRow | undefined): store.TemplateRow => {
      if (found === undefined) throw new Failure('template_not_found')
      demandRevision(found.revision, request.ifMatch)
      return found
    }
    // Looked at before the lock too, so that a refusal doesn't make registrations wait.
    check(await store.findTemplate(trx, workspaceId, templateId))
    await demandUnused(trx, workspaceId, templateId)
    const row = check(await store.lockTemplateForDeletion(trx, workspaceId, templateId))
    await demandUnused(trx, workspaceId, templateId)
    await store.deleteTemplate(trx, workspaceId, templateId)
    await feed.announce(trx, 'template', templateId)
    const view = viewOf(row)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'template.deleted',
      resource: resourceOf(view),
      data: { template_id: view.id, model_key: view.model_key },
    })
  })
}
