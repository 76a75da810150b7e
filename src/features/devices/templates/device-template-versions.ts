/** Reads earlier versions of device templates. */
import type { Context } from '../../../context.ts'
import { found } from '../../../platform/errors/errors.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { rowView } from '../../common/row-view.ts'
import { getDeviceTemplate } from './device-template.ts'
import { fieldsOf } from './device-template-view.ts'
import * as schema from './schema.ts'
import * as store from './store.ts'
import type { Paged } from '../../common/results.ts'

const summaryOf = rowView<store.VersionRow>()(schema.TemplateVersionSummary, {
  actor: (row) => (row.actor_kind === null ? null : { kind: row.actor_kind, id: row.actor_id }),
})

/** Newest first. */
export async function listTemplateVersions(
  context: Context,
  templateId: string,
  query: schema.ListTemplateVersions,
): Promise<Paged<schema.TemplateVersionSummary>> {
  await getDeviceTemplate(context, templateId)
  return listFiltered(context, query, {
    name: `template-versions ${templateId}`,
    fields: schema.templateVersionFields,
    pageOf: store.pageOfVersions,
    whole: templateId,
    view: summaryOf,
  })
}

export async function getTemplateVersion(
  context: Context,
  templateId: string,
  version: number,
): Promise<schema.TemplateVersion> {
  await getDeviceTemplate(context, templateId)
  const row = found(
    await store.findVersion.first(context.db, {
      workspaceId: context.workspaceId,
      templateId,
      version,
    }),
    'template_version_not_found',
  )
  return { ...summaryOf(row), fields: fieldsOf(row.fields) }
}
