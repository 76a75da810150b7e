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
      'A name for a filter and for what is shown of the devices. It is your own, unless `is_shared`: then all members see it. A member has at most 100 views of their own, a workspace 200 that are shared. A platform key sees and saves shared views only.',
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
    description: 'Your own and the shared ones, ordered by name.',
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
      'Only members in the body change. A shared view is changed by the person who made it, and by those who may change the workspace; only the person who made it can make it their own again.',
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
      'The devices are kept. A shared view is deleted by the person who made it, and by those who may change the workspace. Own views end with the membership; shared ones stay.',
    permission,
    alsoNeeds,
    returns: { 204: null },
    fails: ['view_not_found', 'view_of_another', 'precondition_failed'],
    run: (context, { params }) => deleteView(context, params.view_id),
  }),
]
