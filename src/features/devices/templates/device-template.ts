/** The rules of device templates: a template holds the settings of all devices of one model. */
import { type Context, originOf } from '../../../context.ts'
import { Failure, withinLimit } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { countOneAtATime } from '../../team/active-workspaces/active-workspace.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import type { PageQuery } from '../../common/paging.ts'
import { checkTemplate } from './device-template-checks.ts'
import { fieldsOf, resourceOf, viewOf } from './device-template-view.ts'
import * as schema from './schema.ts'
import * as store from './store.ts'
import { type Paged, type Revised, revisedBy } from '../../common/results.ts'
import { readerOf } from '../../common/resource.ts'

/** Templates per workspace, to stop runaway scripts. */
const MAX_TEMPLATES = 1_000

export async function createDeviceTemplate(
  context: Context,
  input: schema.CreateDeviceTemplate,
): Promise<schema.DeviceTemplateView> {
  const { db, workspaceId } = context
  const fields = fieldsOf({ ...schema.templateDefaults, ...input })
  checkTemplate(fields)
  return db.transaction(async (trx) => {
    await countOneAtATime(trx, workspaceId)
    const { templates } = await store.countTemplates.one(trx, { workspaceId })
    withinLimit(templates, 'device_templates', MAX_TEMPLATES, 'device templates')
    const key = { workspaceId, id: newUuid(), modelKey: input.model_key }
    const row = await store.insertTemplate.first(trx, { ...key, ...store.written(fields) })
    if (row === undefined) throw new Failure('model_key_taken')
    const view = viewOf(row)
    const origin = originOf(context)
    await store.insertVersion(trx, {
      workspaceId,
      templateId: row.id,
      version: row.revision,
      fields: fieldsOf(row),
      changed: [],
      actor: origin.actor,
    })
    await record(trx, origin, {
      workspaceId,
      action: 'template.created',
      resource: resourceOf(view),
      data: { template_id: view.id, model_key: view.model_key, name: view.name },
    })
    return view
  })
}

export async function listDeviceTemplates(
  context: Context,
  query: PageQuery & { model_key?: string; filter?: string },
): Promise<Paged<schema.DeviceTemplateView>> {
  const { model_key } = query
  return listFiltered(context, query, {
    name: 'device-templates',
    fields: schema.templateFields,
    conditions: { model_key },
    pageOf: store.pageOfTemplates,
    view: viewOf,
  })
}

const read = readerOf(store.findTemplate, 'template_not_found')
const revisedOf = revisedBy(viewOf)

export const getDeviceTemplate = async (
  context: Context,
  templateId: string,
): Promise<Revised<schema.DeviceTemplateView>> =>
  revisedOf(await read(context.db, context, templateId))
