/** Operations on device states. */
import type { Services } from '../../../context.ts'
import { idParam, operationOf, respond } from '../../../platform/http/operation.ts'
import { getState, patchState, replaceState, type StateServices } from './device-state.ts'
import { PatchState, StateView, WriteState } from './schema.ts'

const stateOperation = operationOf<Services & StateServices>()

const access = ['user', 'platform-key'] as const
const tag = 'Devices'
const path = '/workspaces/:id/devices/:device_id/state'
const params = {
  id: idParam('ws', 'workspace_not_found'),
  device_id: idParam('dev', 'device_not_found'),
}
const returns = { 200: StateView }

export const deviceStateOperations = [
  stateOperation({
    id: 'getDeviceState',
    method: 'GET',
    path,
    tag,
    summary: "Get a device's state",
    description:
      'The latest JSON, either published by the device on its state topic or written through this API.',
    access,
    permission: 'devices.read',
    params,
    returns,
    fails: ['device_not_found', 'state_not_found'],
    async run(context, { params: { device_id } }) {
      const { view, revision } = await getState(context, device_id)
      return respond(200, view, { revision })
    },
  }),
  stateOperation({
    id: 'replaceDeviceState',
    method: 'PUT',
    path,
    tag,
    summary: "Replace a device's state",
    description: 'Stored until the device publishes its next state. It is not sent to the device.',
    access,
    permission: 'devices.write',
    params,
    body: WriteState,
    returns,
    fails: ['device_not_found', 'precondition_failed'],
    example: { state: { temperature: 21.5, door: 'closed' } },
    async run(context, { params: { device_id }, body }) {
      const { view, revision } = await replaceState(context, device_id, body.state)
      return respond(200, view, { revision })
    },
  }),
  stateOperation({
    id: 'patchDeviceState',
    method: 'PATCH',
    path,
    tag,
    summary: "Change a device's state",
    description:
      'Merges into the current state (RFC 7396): null removes a member, objects are merged, anything else is replaced.',
    access,
    permission: 'devices.write',
    params,
    body: PatchState,
    returns,
    fails: ['device_not_found', 'state_not_found', 'precondition_failed'],
    example: { state: { door: 'open', alarm: null } },
    async run(context, { params: { device_id }, body }) {
      const { view, revision } = await patchState(context, device_id, body.state)
      return respond(200, view, { revision })
    },
  }),
]
