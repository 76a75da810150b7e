/** Operations on saved views of the device list. */
import { operationGroup } from '../../../context.ts'
import { CreateView, SavedView, SavedViews, UpdateView } from './schema.ts'
import { createView, deleteView, getView, listViews, updateView } from './view.ts'

const operation = operationGroup({ tag: 'Devices', access: ['user', 'platform-key'] })

const path = '/workspaces/:id/views'
const permission = 'views.write'
const alsoNeeds = ['views.share'] as const

export const viewOperations = [
  operation({
    id: 'createView',
    route: `POST ${path}`,
    summary: 'Save a view of the device list',
    description:
      'A view stores a filter and the columns of the device list under a name. Only its creator sees it, unless `is_shared` is true: then all members see it. A member has at most 100 own views, and a workspace has at most 200 shared views. A platform key sees and saves only shared views.',
    permission,
    alsoNeeds,
    body: CreateView,
    returns: { 201: SavedView },
    fails: ['view_name_taken', 'limit_reached'],
    example: {
      name: 'Ground floor',
      filter: 'tags.floor = "ground"',
      columns: ['device_key', 'state', 'tags.room', 'last_seen_at'],
      is_shared: true,
    },
    created: { location: '/workspaces/{workspace_id}/views/{id}', revision: 1 },
    run: (context, { body }) => createView(context, body),
  }),
  operation({
    id: 'listViews',
    route: `GET ${path}`,
    summary: 'List the saved views of the device list',
    description: 'Lists the own views of the caller and the shared views, ordered by name.',
    permission: 'devices.read',
    isPlanFree: true,
    returns: { 200: SavedViews },
    run: (context) => listViews(context),
  }),
  operation({
    id: 'getView',
    route: `GET ${path}/:view_id`,
    summary: 'Get a saved view',
    permission: 'devices.read',
    isPlanFree: true,
    returns: { 200: SavedView },
    fails: ['view_not_found'],
    run: (context, { params }) => getView(context, params.view_id),
  }),
  operation({
    id: 'updateView',
    route: `PATCH ${path}/:view_id`,
    summary: 'Change a saved view',
    description:
      'Only members in the body change. A shared view can be changed by its creator and by callers who may change the workspace. Only its creator can stop sharing it.',
    permission,
    alsoNeeds,
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
    run: (context, { params, body }) => updateView(context, params.view_id, body),
  }),
  operation({
    id: 'deleteView',
    route: `DELETE ${path}/:view_id`,
    summary: 'Delete a saved view',
    description:
      'The devices are kept. A shared view can be deleted by its creator and by callers who may change the workspace. Own views are deleted with the membership; shared views stay.',
    permission,
    alsoNeeds,
    returns: { 204: null },
    fails: ['view_not_found', 'view_of_another', 'precondition_failed'],
    run: (context, { params }) => deleteView(context, params.view_id),
  }),
]
