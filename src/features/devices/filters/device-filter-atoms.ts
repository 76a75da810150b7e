/** The model of a device filter after its fields and values have been validated. */

export type Order = '<' | '<=' | '>' | '>='

export type TextMatch =
  | { is: 'equal' | 'prefix' | 'suffix'; text: string }
  | { is: 'compare'; order: Order; text: string }
  | { is: 'present' }

export type DeviceStatus = 'registered' | 'active' | 'suspended' | 'decommissioned'

export type DeviceApproval = 'approved' | 'pending' | 'rejected'

export type ScalarMatch =
  | { is: 'text' | 'prefix'; text: string }
  /** A decimal number as written. */
  | { is: 'number'; text: string }
  | { is: 'boolean'; value: boolean }
  | { is: 'compare'; order: Order; text: string }
  | { is: 'present' }

export type Atom =
  /** Ids are UUIDs. */
  | { on: 'id'; id: string }
  /** Names are compared in lower case. */
  | { on: 'device_key' | 'hardware_id' | 'name'; match: TextMatch }
  | { on: 'word'; word: string; isPrefix: boolean }
  | { on: 'status'; status: DeviceStatus }
  | { on: 'approval'; approval: DeviceApproval }
  | { on: 'template'; id: string }
  | { on: 'template_present' }
  | { on: 'connected' | 'claimed'; value: boolean }
  /** `ms` since the epoch. */
  | { on: 'created_at' | 'claimed_at' | 'last_seen_at'; order: Order; ms: number }
  | { on: 'seen' }
  | { on: 'tag'; key: string; match: TextMatch }
  | { on: 'custom_field'; name: string; match: ScalarMatch }
  | { on: 'group'; id: string }

/** Negation occurs only at atoms. */
export type FilterNode =
  | { kind: 'and' | 'or'; parts: readonly FilterNode[] }
  | { kind: 'atom'; atom: Atom; isNegated: boolean }

/** A filter on the devices of one workspace. */
export interface DeviceFilter {
  /** Undefined: all devices. */
  node: FilterNode | undefined
  /** Equal for equivalent filters; cursors are bound to it. */
  fingerprint: string
}

export const atomNode = (atom: Atom, isNegated = false): FilterNode => ({
  kind: 'atom',
  atom,
  isNegated,
})

export const allOf = (parts: readonly FilterNode[]): FilterNode | undefined =>
  parts.length > 1 ? { kind: 'and', parts } : parts[0]

const statuses: readonly DeviceStatus[] = ['registered', 'active', 'suspended', 'decommissioned']
export const isDeviceStatus = (text: string): text is DeviceStatus =>
  statuses.includes(text as DeviceStatus)

const approvals: readonly DeviceApproval[] = ['approved', 'pending', 'rejected']
export const isDeviceApproval = (text: string): text is DeviceApproval =>
  approvals.includes(text as DeviceApproval)

/** The negation, expressed through indexed values where possible: a status is one of few. */
export function negated(node: FilterNode): FilterNode {
  if (node.kind !== 'atom') {
    return { kind: node.kind === 'and' ? 'or' : 'and', parts: node.parts.map(negated) }
  }
  const { atom } = node
  if (atom.on === 'connected' || atom.on === 'claimed') {
    return atomNode({ ...atom, value: !atom.value })
  }
  if (atom.on === 'status') {
    const others = statuses.filter((status) => status !== atom.status)
    return { kind: 'or', parts: others.map((status) => atomNode({ on: 'status', status })) }
  }
  if (atom.on === 'approval') {
    const others = approvals.filter((approval) => approval !== atom.approval)
    return { kind: 'or', parts: others.map((approval) => atomNode({ on: 'approval', approval })) }
  }
  return atomNode(atom, !node.isNegated)
}
