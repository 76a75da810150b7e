/** Operations on rotation campaigns. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import {
  cancelCampaign,
  createCampaign,
  getCampaign,
  listCampaignDevices,
  listCampaigns,
  pauseCampaign,
  resumeCampaign,
} from './campaign.ts'
import {
  CampaignDeviceView,
  CreateRotationCampaign,
  ListCampaignDevices,
  ListRotationCampaigns,
  RotationCampaignView,
} from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Rotation campaigns'
const workspace = { id: idParam('ws', 'workspace_not_found') }
const campaign = { ...workspace, campaign_id: idParam('cmp', 'rotation_campaign_not_found') }
const path = '/workspaces/:id/rotation-campaigns'

export const rotationCampaignOperations = [
  operation({
    id: 'createRotationCampaign',
    method: 'POST',
    path,
    tag,
    summary: 'Start a rotation campaign',
    description:
      'Asks devices, in waves, to rotate their secrets: `rotation_due` of `GET /devices/auth/me` becomes true for them, and they receive the command `rotate_credentials`. A device then calls `POST /devices/auth/credentials/rotate` by itself. Its old secrets are valid until it has used a new one. A wave ends when each of its devices has confirmed, has failed, or was offline for `confirm_within_s`.',
    access,
    permission: 'devices.secure',
    isPlanFree: true,
    params: workspace,
    body: CreateRotationCampaign,
    returns: { 201: RotationCampaignView },
    fails: ['limit_reached'],
    example: { filter: '', wave_percent: 10, confirm_within_s: 3600 },
    async run(context, { body }) {
      const created = await createCampaign(context, body)
      const location = `/workspaces/${created.workspace_id}/rotation-campaigns/${created.id}`
      return respond(201, created, { location })
    },
  }),
  operation({
    id: 'listRotationCampaigns',
    method: 'GET',
    path,
    tag,
    summary: 'List rotation campaigns',
    description: 'Newest first.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: workspace,
    query: ListRotationCampaigns,
    returns: { 200: Page(RotationCampaignView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listCampaigns(context, query)),
  }),
  operation({
    id: 'getRotationCampaign',
    method: 'GET',
    path: `${path}/:campaign_id`,
    tag,
    summary: 'Get a rotation campaign',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: campaign,
    returns: { 200: RotationCampaignView },
    fails: ['rotation_campaign_not_found'],
    run: async (context, { params }) =>
      respond(200, await getCampaign(context, params.campaign_id)),
  }),
  operation({
    id: 'listRotationCampaignDevices',
    method: 'GET',
    path: `${path}/:campaign_id/devices`,
    tag,
    summary: 'List the devices of a rotation campaign',
    description: 'Ordered by device id, oldest first.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: campaign,
    query: ListCampaignDevices,
    returns: { 200: Page(CampaignDeviceView) },
    fails: ['rotation_campaign_not_found', 'invalid_cursor'],
    run: async (context, { params, query }) =>
      respond(200, await listCampaignDevices(context, params.campaign_id, query)),
  }),
  operation({
    id: 'pauseRotationCampaign',
    method: 'POST',
    path: `${path}/:campaign_id/pause`,
    tag,
    summary: 'Pause a rotation campaign',
    description: 'The current wave continues to its end. No other wave starts.',
    access,
    permission: 'devices.secure',
    bucket: 'safety',
    params: campaign,
    returns: { 200: RotationCampaignView },
    fails: ['rotation_campaign_not_found', 'invalid_transition'],
    run: async (context, { params }) =>
      respond(200, await pauseCampaign(context, params.campaign_id)),
  }),
  operation({
    id: 'resumeRotationCampaign',
    method: 'POST',
    path: `${path}/:campaign_id/resume`,
    tag,
    summary: 'Resume a rotation campaign',
    description:
      'Continues after a pause or a halt. After a halt only later waves count towards the ' +
      'limit of failures.',
    access,
    permission: 'devices.secure',
    isPlanFree: true,
    params: campaign,
    returns: { 200: RotationCampaignView },
    fails: ['rotation_campaign_not_found', 'invalid_transition'],
    run: async (context, { params }) =>
      respond(200, await resumeCampaign(context, params.campaign_id)),
  }),
  operation({
    id: 'cancelRotationCampaign',
    method: 'POST',
    path: `${path}/:campaign_id/cancel`,
    tag,
    summary: 'Cancel a rotation campaign',
    description:
      'No further devices are asked, and the devices asked so far are no longer tracked. They can still rotate; if they do not, their secrets stay valid.',
    access,
    permission: 'devices.secure',
    bucket: 'safety',
    params: campaign,
    returns: { 200: RotationCampaignView },
    fails: ['rotation_campaign_not_found', 'invalid_transition'],
    run: async (context, { params }) =>
      respond(200, await cancelCampaign(context, params.campaign_id)),
  }),
]
