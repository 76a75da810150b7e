/** Operations on rotation campaigns. */
import { operationGroup } from '../../../context.ts'
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
import * as schema from './schema.ts'

const operation = operationGroup({ tag: 'Rotation campaigns', access: ['user', 'platform-key'] })

const path = '/workspaces/:id/rotation-campaigns'

export const rotationCampaignOperations = [
  operation({
    id: 'createRotationCampaign',
    route: `POST ${path}`,
    summary: 'Start a rotation campaign',
    description:
      'Asks devices, in waves, to rotate their secrets: `rotation_due` of `GET /devices/auth/me` becomes true for them, and they receive the command `rotate_credentials`. A device then calls `POST /devices/auth/credentials/rotate` by itself. Its old secrets are valid until it has used a new one. A wave ends when each of its devices has confirmed, has failed, or was offline for `confirm_within_s`.',
    permission: 'devices.secure',
    isPlanFree: true,
    body: schema.CreateRotationCampaign,
    returns: { 201: schema.RotationCampaignView },
    fails: ['limit_reached'],
    example: { filter: '', wave_percent: 10, confirm_within_s: 3600 },
    created: { location: '/workspaces/{workspace_id}/rotation-campaigns/{id}' },
    run: (context, { body }) => createCampaign(context, body),
  }),
  operation({
    id: 'listRotationCampaigns',
    route: `GET ${path}`,
    summary: 'List rotation campaigns',
    description: 'Newest first.',
    permission: 'devices.read',
    isPlanFree: true,
    query: schema.ListRotationCampaigns,
    returns: { 200: Page(schema.RotationCampaignView) },
    run: (context, { query }) => listCampaigns(context, query),
  }),
  operation({
    id: 'getRotationCampaign',
    route: `GET ${path}/:campaign_id`,
    summary: 'Get a rotation campaign',
    permission: 'devices.read',
    isPlanFree: true,
    returns: { 200: schema.RotationCampaignView },
    fails: ['rotation_campaign_not_found'],
    run: (context, { params }) => getCampaign(context, params.campaign_id),
  }),
  operation({
    id: 'listRotationCampaignDevices',
    route: `GET ${path}/:campaign_id/devices`,
    summary: 'List the devices of a rotation campaign',
    description: 'Ordered by device id, oldest first.',
    permission: 'devices.read',
    isPlanFree: true,
    query: schema.ListCampaignDevices,
    returns: { 200: Page(schema.CampaignDeviceView) },
    fails: ['rotation_campaign_not_found'],
    run: (context, { params, query }) => listCampaignDevices(context, params.campaign_id, query),
  }),
  operation({
    id: 'pauseRotationCampaign',
    route: `POST ${path}/:campaign_id/pause`,
    summary: 'Pause a rotation campaign',
    description: 'The current wave continues to its end. No other wave starts.',
    permission: 'devices.secure',
    bucket: 'safety',
    returns: { 200: schema.RotationCampaignView },
    fails: ['rotation_campaign_not_found', 'invalid_transition'],
    run: (context, { params }) => pauseCampaign(context, params.campaign_id),
  }),
  operation({
    id: 'resumeRotationCampaign',
    route: `POST ${path}/:campaign_id/resume`,
    summary: 'Resume a rotation campaign',
    description:
      'Continues after a pause or a halt. After a halt only later waves count towards the ' +
      'limit of failures.',
    permission: 'devices.secure',
    isPlanFree: true,
    returns: { 200: schema.RotationCampaignView },
    fails: ['rotation_campaign_not_found', 'invalid_transition'],
    run: (context, { params }) => resumeCampaign(context, params.campaign_id),
  }),
  operation({
    id: 'cancelRotationCampaign',
    route: `POST ${path}/:campaign_id/cancel`,
    summary: 'Cancel a rotation campaign',
    description:
      'No further devices are asked, and the devices asked so far are no longer tracked. They can still rotate; if they do not, their secrets stay valid.',
    permission: 'devices.secure',
    bucket: 'safety',
    returns: { 200: schema.RotationCampaignView },
    fails: ['rotation_campaign_not_found', 'invalid_transition'],
    run: (context, { params }) => cancelCampaign(context, params.campaign_id),
  }),
]
