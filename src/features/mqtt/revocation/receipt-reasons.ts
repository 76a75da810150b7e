/** Receipt reasons with special handling on external brokers. */

/** A newer secret was confirmed: only sessions started before it end. */
export const OLDER = 'credentials_confirmed'

/** After these, phones holding the device lose rights as well. */
export const STOPS_SERVING: ReadonlySet<string> = new Set([
  'device.suspended',
  'device.decommissioned',
])

/** After this, all topics of the workspace have another prefix. */
export const MOVES_ALL = 'workspace.updated'

/** Live sessions were ended as such, and no right with them: nothing is left once they are gone. */
export const ENDS_SESSIONS = 'mqtt_connections.cut'
