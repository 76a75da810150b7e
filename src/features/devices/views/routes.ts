/** Operations on saved views of the device list. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { CreateView, SavedView, SavedViews, UpdateView } from './schema.ts'
import { createView, deleteView, getView, listViews, updateView } from './view.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Devices'
const path = '/workspaces/:id/views'
const workspace = { id: idParam('ws', 'workspace_not_found') }
const saved = { ...workspace, view_id: idParam('view', 'view_not_found') }
const permission = 'views.write'
const alsoNeeds = ['views.share'] as const

export const viewOperations = [
  operation({
    id: 'createView',
    method: 'POST',
    path,
    tag,
    summary: 'Save a view of the device list',
    description:
      'A name for a filter and for what is shown of the devices. It is your own, unless `is_shared`: then all members see it. A member has at most 100 views of their own, a workspace 200 that are shared. A platform key sees and saves shared views only.',
    access,
    permission,
    alsoNeeds,
    params: workspace,
    body: CreateView,
    returns: { 201: SavedView },
    fails: ['view_name_taken', 'limit_reached'],
    example: {
      name: 'Ground floor',
      filter: 'tags.floor = "ground"',
      columns: ['device_key', 'state', 'tags.room', 'last_seen_at'],
      is_shared: true,
    },
    async run(context, { body }) {
      const view = await createView(context, body)
      const location = `/workspaces/${view.workspace_id}/views/${view.id}`
      return respond(201, view, { location, revision: 1 })
    },
  }),
  operation({
    id: 'listViews',
    method: 'GET',
    path,
    tag,
    summary: 'List the saved views of the device list',
    description: 'Your own and the shared ones, ordered by name.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: workspace,
    returns: { 200: SavedViews },
    fails: [],
    run: async (context) => respond(200, await listViews(context)),
  }),
  operation({
    id: 'getView',
    method: 'GET',
    path: `${path}/:view_id`,
    tag,
    summary: 'Get a saved view',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: saved,
    returns: { 200: SavedView },
    fails: ['view_not_found'],
    async run(context, { params }) {
      const { view, revision } = await getView(context, params.view_id)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'updateView',
    method: 'PATCH',
    path: `${path}/:view_id`,
    tag,
    summary: 'Change a saved view',
    description:
      'Only members in the body change. A shared view is changed by the person who made it, and by those who may change the workspace; only the person who made it can make it their own again.',
    access,
    permission,
    alsoNeeds,
    params: saved,
    body: UpdateView,
    returns: { 200: SavedView },
    fails: [
      'view_not_found',
      'view_name_taken',
      'view_of_another',
      'limit_reached',
      'precondition_failed',
    ],
    example: { name: 'Ground floor, east', columns: null },
    async run(context, { params, body }) {
      const { view, revision } = await updateView(context, params.view_id, body)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'deleteView',
    method: 'DELETE',
    path: `${path}/:view_id`,
    tag,
    summary: 'Delete a saved view',
    description:
      'The devices are kept. A shared view is deleted by the person who made it, and by those who may change the workspace. Own views end with the membership; shared ones stay.',
    access,
    permission,
    alsoNeeds,
    params: saved,
    returns: { 204: null },
    fails: ['view_not_found', 'view_of_another', 'precondition_failed'],
    async run(context, { params }) {
      await deleteView(context, params.view_id)
      return respond(204, null)
    },
  }),
]
