/** Operations on workspaces. */
import Type from 'typebox'
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import {
  CreateWorkspace,
  DeletedWorkspace,
  DeleteWorkspace,
  UpdateWorkspace,
  WorkspaceView,
} from './schema.ts'
import { deleteWorkspace } from './workspace-deletion.ts'
import { createOwnWorkspace, getWorkspace, listWorkspaces, updateWorkspace } from './workspace.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Workspaces'
const params = { id: idParam('ws', 'workspace_not_found') }

export const workspaceOperations = [
  operation({
    id: 'listWorkspaces',
    method: 'GET',
    path: '/workspaces',
    tag,
    summary: 'List workspaces',
    description:
      'The workspaces of which the caller is a member; for a platform key, its own ' +
      'workspace. Newest first.',
    access,
    isPlanFree: true,
    query: Type.Object(pageQuery),
    returns: { 200: Page(WorkspaceView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listWorkspaces(context, query)),
  }),
  operation({
    id: 'createWorkspace',
    method: 'POST',
    path: '/workspaces',
    tag,
    summary: 'Create a workspace',
    description: 'The caller becomes its owner. A user can own at most 100 workspaces.',
    access: ['user'],
    body: CreateWorkspace,
    returns: { 201: WorkspaceView },
    fails: ['slug_taken', 'limit_reached', 'permission_denied'],
    example: { name: 'Acme Sensors', slug: 'acme-sensors' },
    async run(context, { body }) {
      const view = await createOwnWorkspace(context, body)
      return respond(201, view, { location: `/workspaces/${view.id}`, revision: 1 })
    },
  }),
  operation({
    id: 'getWorkspace',
    method: 'GET',
    path: '/workspaces/:id',
    tag,
    summary: 'Get a workspace',
    access,
    permission: 'workspace.read',
    isPlanFree: true,
    params,
    returns: { 200: WorkspaceView },
    fails: [],
    async run(context) {
      const { view, revision } = await getWorkspace(context)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'updateWorkspace',
    method: 'PATCH',
    path: '/workspaces/:id',
    tag,
    summary: 'Change a workspace',
    description:
      'The slug can change until the first device exists, because it is the prefix of device topics. With `mfa_required`, members have access only in sessions with a proved second factor. Only an owner with such a session can change `mfa_required`, and needs a recent proof: see POST /auth/reauthenticate.',
    access,
    permission: 'workspace.write',
    alsoNeeds: ['workspace.secure'],
    params,
    body: UpdateWorkspace,
    returns: { 200: WorkspaceView },
    fails: ['slug_taken', 'slug_fixed', 'precondition_failed', 'fresh_authentication_required'],
    example: { name: 'Acme Sensors Europe' },
    async run(context, { body }) {
      const { view, revision } = await updateWorkspace(context, body)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'deleteWorkspace',
    method: 'DELETE',
    path: '/workspaces/:id',
    tag,
    summary: 'Delete a workspace',
    description:
      'Within a second, every process refuses its members, keys, devices and phones, and ends their MQTT sessions. The data is kept for 30 days, during which the operator can restore it, and is then erased. The slug stays reserved until then.',
    access: ['user'],
    needsFreshProof: true,
    permission: 'workspace.delete',
    bucket: 'safety',
    params,
    body: DeleteWorkspace,
    returns: { 202: DeletedWorkspace },
    fails: [],
    example: { confirm: 'acme-sensors' },
    run: async (context, { body }) => respond(202, await deleteWorkspace(context, body)),
  }),
]
