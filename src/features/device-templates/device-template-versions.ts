/** Reads earlier versions of device templates. */
import type { KnownCaller } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { pageOf, readPage } from '../paging.ts'
import { timestamp } from '../shapes.ts'
import { getDeviceTemplate } from './device-template.ts'
import { fieldsOf } from './device-template-view.ts'
import type { TemplateVersion, TemplateVersionSummary } from './schema.ts'
import * as store from './versions-store.ts'

const summaryOf = (row: store.VersionRow): TemplateVersionSummary => ({
  version: row.version,
  at: timestamp(row.at),
  actor: row.actor_kind === null ? null : { kind: row.actor_kind, id: row.actor_id },
  changed: row.changed,
})

/** Newest first. */
export async function listTemplateVersions(
  context: Context<KnownCaller>,
  templateId: string,
  query: { limit?: number; cursor?: string },
): Promise<{ items: TemplateVersionSummary[]; next_cursor: string | null }> {
  const { db, keyring, workspaceId } = context
  await getDeviceTemplate(context, templateId)
  const list = `template-versions ${workspaceId} ${templateId}`
  const mac = (text: string): Buffer => keyring.mac('cursor', text)
  const page = readPage(query, list, mac)
  const before = page.after === undefined ? undefined : Number(page.after)
  const rows = await store.pageOfVersions(db, workspaceId, templateId, before, page.limit + 1)
  return pageOf(rows, page, list, mac, (row) => String(row.version), summaryOf)
}

export async function getTemplateVersion(
  context: Context<KnownCaller>,
  templateId: string,
  version: number,
): Promise<TemplateVersion> {
  await getDeviceTemplate(context, templateId)
  const row = await store.findVersion(context.db, context.workspaceId, templateId, version)
  if (row === undefined) throw new Failure('template_version_not_found')
  return { ...summaryOf(row), fields: fieldsOf(row.fields) }
}
