/** Operations on device states. */
import type { Services } from '../../../context.ts'
import { operationGroupOf } from '../../../platform/http/operation.ts'
import { getState, patchState, replaceState } from './device-state.ts'
import { type StateStreamServices, watchState } from './state-stream.ts'
import { PatchState, StateView, WriteState } from './schema.ts'

const stateOperation = operationGroupOf<Services & StateStreamServices>()({
  tag: 'Devices',
  access: ['user', 'platform-key'],
})

const path = '/workspaces/:id/devices/:device_id/state'
const returns = { 200: StateView }

export const deviceStateOperations = [
  stateOperation({
    id: 'getDeviceState',
    route: `GET ${path}`,
    summary: "Get a device's state",
    description:
      'The latest JSON, either published by the device on its state topic or written through this API. With `Accept: text/event-stream` the response is a stream of server-sent events: `state` with the current state, and another one with the newest state after a change. At most four are sent in a second; states in between are omitted. If the device has no state yet, the stream begins with its first one.',
    permission: 'devices.read',
    returns,
    fails: ['device_not_found', 'state_not_found'],
    run: (context, { params: { device_id } }) => getState(context, device_id),
    live: {
      message: StateView,
      run: (context, { params: { device_id } }, stream) => watchState(context, device_id, stream),
    },
  }),
  stateOperation({
    id: 'replaceDeviceState',
    route: `PUT ${path}`,
    summary: "Replace a device's state",
    description: 'Stored until the device publishes its next state. It is not sent to the device.',
    permission: 'devices.write',
    body: WriteState,
    returns,
    fails: ['device_not_found', 'precondition_failed'],
    example: { state: { temperature: 21.5, door: 'closed' } },
    run: (context, { params: { device_id }, body }) => replaceState(context, device_id, body.state),
  }),
  stateOperation({
    id: 'patchDeviceState',
    route: `PATCH ${path}`,
    summary: "Change a device's state",
    description:
      'Merges into the current state (RFC 7396): null removes a member, objects are merged, anything else is replaced.',
    permission: 'devices.write',
    body: PatchState,
    returns,
    fails: ['device_not_found', 'state_not_found', 'precondition_failed'],
    example: { state: { door: 'open', alarm: null } },
    run: (context, { params: { device_id }, body }) => patchState(context, device_id, body.state),
  }),
]
