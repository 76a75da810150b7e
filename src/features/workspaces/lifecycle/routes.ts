/** Operations on workspaces. */
import Type from 'typebox'
import { operationGroup } from '../../../context.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import * as schema from './schema.ts'
import { deleteWorkspace } from './workspace-deletion.ts'
import { createOwnWorkspace, getWorkspace, listWorkspaces, updateWorkspace } from './workspace.ts'

const operation = operationGroup({ tag: 'Workspaces', access: ['user', 'platform-key'] })

export const workspaceOperations = [
  operation({
    id: 'listWorkspaces',
    route: 'GET /workspaces',
    summary: 'List workspaces',
    description:
      'The workspaces of which the caller is a member; for a platform key, its own workspace. Newest first.',
    isPlanFree: true,
    query: Type.Object(pageQuery),
    returns: { 200: Page(schema.WorkspaceView) },
    run: (context, { query }) => listWorkspaces(context, query),
  }),
  operation({
    id: 'createWorkspace',
    route: 'POST /workspaces',
    summary: 'Create a workspace',
    description: 'The caller becomes its owner. A user can own at most 100 workspaces.',
    access: ['user'],
    body: schema.CreateWorkspace,
    returns: { 201: schema.WorkspaceView },
    fails: ['slug_taken', 'limit_reached', 'permission_denied'],
    example: { name: 'Acme Sensors', slug: 'acme-sensors' },
    created: { location: '/workspaces/{id}', revision: 1 },
    run: (context, { body }) => createOwnWorkspace(context, body),
  }),
  operation({
    id: 'getWorkspace',
    route: 'GET /workspaces/:id',
    summary: 'Get a workspace',
    permission: 'workspace.read',
    isPlanFree: true,
    returns: { 200: schema.WorkspaceView },
    run: (context) => getWorkspace(context),
  }),
  operation({
    id: 'updateWorkspace',
    route: 'PATCH /workspaces/:id',
    summary: 'Change a workspace',
    description:
      'The slug can change until the first device exists, because it is the prefix of device topics. With `mfa_required`, members have access only in sessions with a proved second factor. Only an owner with such a session can change `mfa_required`, and needs a recent proof: see POST /auth/reauthenticate. `mqtt_durable` can be switched on where the installation stores MQTT sessions.',
    permission: 'workspace.write',
    alsoNeeds: ['workspace.secure'],
    body: schema.UpdateWorkspace,
    returns: { 200: schema.WorkspaceView },
    fails: ['slug_taken', 'slug_fixed', 'precondition_failed', 'fresh_authentication_required'],
    example: { name: 'Acme Sensors Europe' },
    run: (context, { body }) => updateWorkspace(context, body),
  }),
  operation({
    id: 'deleteWorkspace',
    route: 'DELETE /workspaces/:id',
    summary: 'Delete a workspace',
    description:
      'Within a second, every process refuses its members, keys, devices and phones. Their MQTT sessions end. The data is kept for 30 days, during which the operator can restore it, and is then erased. The slug stays reserved until then.',
    access: ['user'],
    needsFreshProof: true,
    permission: 'workspace.delete',
    bucket: 'safety',
    body: schema.DeleteWorkspace,
    returns: { 202: schema.DeletedWorkspace },
    example: { confirm: 'acme-sensors' },
    run: (context, { body }) => deleteWorkspace(context, body),
  }),
]
