/** Operations on versions of device templates. */
import { operation } from '../../../context.ts'
import { respond, idParam, numberParam } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import { rollBackDeviceTemplate } from './device-template-change.ts'
import { getTemplateVersion, listTemplateVersions } from './device-template-versions.ts'
import {
  ChangedDeviceTemplate,
  DryRun,
  ListTemplateVersions,
  RollBack,
  TemplateVersion,
  TemplateVersionSummary,
} from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Device templates'
const template = {
  id: idParam('ws', 'workspace_not_found'),
  template_id: idParam('tpl', 'template_not_found'),
}

export const templateVersionOperations = [
  operation({
    id: 'listTemplateVersions',
    method: 'GET',
    path: '/workspaces/:id/device-templates/:template_id/versions',
    tag,
    summary: 'List the versions of a device template',
    description: 'Each change creates a version. Newest first, with author and changed members.',
    access,
    permission: 'templates.read',
    params: template,
    query: ListTemplateVersions,
    returns: { 200: Page(TemplateVersionSummary) },
    fails: ['template_not_found', 'invalid_cursor'],
    run: async (context, { params, query }) =>
      respond(200, await listTemplateVersions(context, params.template_id, query)),
  }),
  operation({
    id: 'getTemplateVersion',
    method: 'GET',
    path: '/workspaces/:id/device-templates/:template_id/versions/:version',
    tag,
    summary: 'Get a version of a device template',
    access,
    permission: 'templates.read',
    params: { ...template, version: numberParam('template_version_not_found') },
    returns: { 200: TemplateVersion },
    fails: ['template_not_found', 'template_version_not_found'],
    run: async (context, { params }) =>
      respond(200, await getTemplateVersion(context, params.template_id, Number(params.version))),
  }),
  operation({
    id: 'rollBackDeviceTemplate',
    method: 'POST',
    path: '/workspaces/:id/device-templates/:template_id/rollback',
    tag,
    summary: 'Roll back a device template',
    description:
      'Restores the mutable members of that version. This creates a new version. `effect` and `dry_run` work as in PATCH.',
    access,
    permission: 'templates.write',
    isPlanFree: true,
    params: template,
    query: DryRun,
    body: RollBack,
    returns: { 200: ChangedDeviceTemplate },
    fails: ['template_not_found', 'precondition_failed'],
    example: { version: 1 },
    async run(context, { params, query, body }) {
      const { template_id: id } = params
      const { dry_run: isDryRun = false } = query
      const { view, revision } = await rollBackDeviceTemplate(context, id, body, isDryRun)
      return respond(200, view, { revision })
    },
  }),
]
