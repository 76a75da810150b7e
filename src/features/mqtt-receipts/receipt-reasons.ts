/** Reasons of receipts that say what is to be done elsewhere. */

/** A newer secret was confirmed: only sessions that began before it end. */
export const OLDER = 'credentials_confirmed'

/** After these a phone that holds the device may do less as well. */
export const STOPS_SERVING: ReadonlySet<string> = new Set([
  'device.suspended',
  'device.decommissioned',
])

/** After this the topics of everybody in the workspace are others. */
export const MOVES_ALL = 'workspace.updated'
