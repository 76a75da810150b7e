/** The timeline of a device. */
import { operation } from '../../../context.ts'
import { ReadTimeline, Timeline } from './schema.ts'
import { readTimeline } from './timeline.ts'

export const timelineOperations = [
  operation({
    id: 'getDeviceTimeline',
    route: 'GET /workspaces/:id/devices/:device_id/timeline',
    tag: 'Devices',
    summary: 'Get the timeline of a device',
    description:
      'Lists the history of the device, newest first: its connections and refusals, commands, versions of its configuration and reports about them, notes, claims, and changes of its credentials, its status and its data, with their actors. Each kind needs the permission to read it: `status`, `credentials`, `claim` and `change` need `audit.read`, `config_report` needs `events.read`; `left_out` names the kinds that the caller may not read. Each kind is kept as long as in its own list: the last 50 connections, 100 versions of the configuration. A page can have fewer items than `limit`: a call examines at most 5,000 entries of the audit log.',
    access: ['user', 'platform-key'],
    permission: 'devices.read',
    isPlanFree: true,
    query: ReadTimeline,
    returns: { 200: Timeline },
    fails: ['device_not_found'],
    run: (context, { params, query }) => readTimeline(context, params.device_id, query),
  }),
]
