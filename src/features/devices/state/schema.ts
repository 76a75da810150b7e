/** Schemas of device states. */
import Type, { type Static } from 'typebox'
import { JsonObject } from '../../common/json-object.ts'
import { Id, Integer, NamedObject, Timestamp } from '../../common/shapes.ts'

export const WriteState = Type.Object({ state: JsonObject('The whole state.') })

export const PatchState = Type.Object({ state: JsonObject('Merged; null removes a member.') })

export const StateView = NamedObject('DeviceState', {
  device_id: Id('dev'),
  state: Type.Unknown({ description: 'Any JSON published by the device, or an object.' }),
  version: Integer('Increases with each state; microseconds since the Unix epoch.'),
  reported_at: Timestamp,
})
export type StateView = Static<typeof StateView>
