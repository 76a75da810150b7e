/** Operations on versions of device templates. */
import { operationGroup } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import { rollBackDeviceTemplate } from './device-template-change.ts'
import { getTemplateVersion, listTemplateVersions } from './device-template-versions.ts'
import * as schema from './schema.ts'

const operation = operationGroup({ tag: 'Device templates', access: ['user', 'platform-key'] })

export const templateVersionOperations = [
  operation({
    id: 'listTemplateVersions',
    route: 'GET /workspaces/:id/device-templates/:template_id/versions',
    summary: 'List the versions of a device template',
    description: 'Each change creates a version. Newest first, with author and changed members.',
    permission: 'templates.read',
    query: schema.ListTemplateVersions,
    returns: { 200: Page(schema.TemplateVersionSummary) },
    fails: ['template_not_found'],
    run: (context, { params, query }) => listTemplateVersions(context, params.template_id, query),
  }),
  operation({
    id: 'getTemplateVersion',
    route: 'GET /workspaces/:id/device-templates/:template_id/versions/:version',
    summary: 'Get a version of a device template',
    permission: 'templates.read',
    returns: { 200: schema.TemplateVersion },
    fails: ['template_not_found', 'template_version_not_found'],
    run: (context, { params }) =>
      getTemplateVersion(context, params.template_id, Number(params.version)),
  }),
  operation({
    id: 'rollBackDeviceTemplate',
    route: 'POST /workspaces/:id/device-templates/:template_id/rollback',
    summary: 'Roll back a device template',
    description:
      'Restores the mutable members of that version. This creates a new version. `effect` and `dry_run` work as in PATCH.',
    permission: 'templates.write',
    isPlanFree: true,
    query: schema.DryRun,
    body: schema.RollBack,
    returns: { 200: schema.ChangedDeviceTemplate },
    fails: ['template_not_found', 'precondition_failed'],
    example: { version: 1 },
    run(context, { params, query, body }) {
      const { template_id: id } = params
      const { dry_run: isDryRun = false } = query
      return rollBackDeviceTemplate(context, id, body, isDryRun)
    },
  }),
]
