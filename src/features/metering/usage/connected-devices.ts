/**
 * Counts connected devices in this process, each once, and enforces the plan's limit at CONNECT.
 * Local sessions and admitted devices that have not connected yet are known exactly; those of other
 * processes are read at most once a second.
 */
import { LRUCache } from 'lru-cache'
import type { ConnectDecision, Session } from '../../../adapters/broker/port.ts'
import type { TrafficMeter } from '../../../adapters/broker/traffic-meter.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { upTo } from '../../../platform/lib/cache-size.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import { afterwards, type Soon } from '../../../platform/lib/soon.ts'
import { explain, type LimitsOf, type Reached } from './limits.ts'
import { TemplateMeter } from './meter.ts'
import * as store from './store.ts'

export interface ConnectedDeviceServices {
  db: Db
  /** UUID of this process. */
  nodeId: string
  limitsOf: LimitsOf | undefined
}

const ELSEWHERE_MS = 1_000
/** By then an admitted CONNECT has become a session or failed. */
const PLACE_MS = 15_000
const REMEMBERED = 10_000

export class ConnectedDevices {
  readonly #services: ConnectedDeviceServices
  readonly #elsewhere = new LRUCache<string, Promise<number>>({
    ...upTo(REMEMBERED),
    ttl: ELSEWHERE_MS,
  })
  /** By workspace: devices with a reserved place, and until when. */
  readonly #places = new Map<string, Map<string, number>>()

  constructor(services: ConnectedDeviceServices) {
    this.#services = services
  }

  /**
   * The last check of an admission; without plans it passes synchronously. If the check fails for
   * technical reasons, the device is admitted.
   * @param isHere whether the client has a session in this process
   */
  decide(
    decision: Soon<ConnectDecision>,
    isHere: (principalId: string) => boolean,
  ): Soon<ConnectDecision> {
    if (this.#services.limitsOf === undefined) return decision
    return afterwards(decision, (made) =>
      made.accepted && !isHere(made.grant.principalId) ? this.#lastWord(made) : made,
    )
  }

  async #lastWord(decision: ConnectDecision & { accepted: true }): Promise<ConnectDecision> {
    const { meter, principalId } = decision.grant
    const deviceId = parseId('dev', principalId)
    if (deviceId === undefined || !(meter instanceof TemplateMeter)) return decision
    const full = await this.#lackOfRoom(meter, deviceId).catch(() => undefined)
    if (full === undefined) return decision
    return { accepted: false, reason: 'quota_exceeded', explanation: explain(full, 0) }
  }

  /** @param isAlone whether the device had no other session here */
  came({ grant }: Session, device: DeviceRef, isAlone: boolean): void {
    if (isAlone) change(grant.meter, 1)
    const places = this.#places.get(device.workspaceId)
    places?.delete(device.deviceId)
    if (places?.size === 0) this.#places.delete(device.workspaceId)
  }

  /** @param first the session with which the device was counted */
  left({ grant }: Session): void {
    change(grant.meter, -1)
  }

  /** @returns undefined if there is room; the device then has a reserved place */
  async #lackOfRoom(
    { workspace }: TemplateMeter,
    deviceId: string,
  ): Promise<Omit<Reached, 'meter'> | undefined> {
    const limits = await this.#services.limitsOf?.(workspace.id)
    const limit = limits?.connected_devices
    if (limit === undefined) return undefined
    const elsewhere = await this.#countElsewhere(workspace.id)
    const isIn = (others: number): boolean => {
      // No await between the check and the reservation.
      if (workspace.devices.now + others + this.#taken(workspace.id, deviceId) >= limit)
        return false
      this.#take(workspace.id, deviceId)
      return true
    }
    if (isIn(elsewhere)) return undefined
    // A device that moves between processes already has its place. When a process dies, a whole
    // fleet moves at once, and arrivals are counted twice for a while.
    const { db, nodeId } = this.#services
    const isMoving = await store.isConnectedElsewhere(db, workspace.id, nodeId, deviceId)
    if (isMoving && isIn(0)) return undefined
    const use = workspace.devices.now + elsewhere + this.#taken(workspace.id, deviceId)
    return { name: 'connected_devices', value: limit, use }
  }

  #countElsewhere(workspaceId: string): Promise<number> {
    const known = this.#elsewhere.get(workspaceId)
    if (known !== undefined) return known
    const { db, nodeId } = this.#services
    const counted = store.countElsewhere(db, workspaceId, nodeId)
    this.#elsewhere.set(workspaceId, counted)
    counted.catch(() => this.#elsewhere.delete(workspaceId))
    return counted
  }

  /** Places reserved for other devices. */
  #taken(workspaceId: string, deviceId: string): number {
    const places = this.#places.get(workspaceId)
    if (places === undefined) return 0
    const now = performance.now()
    // In order of reservation.
    for (const [id, until] of places) {
      if (until > now) break
      places.delete(id)
    }
    return places.size - (places.has(deviceId) ? 1 : 0)
  }

  #take(workspaceId: string, deviceId: string): void {
    const places = this.#places.get(workspaceId) ?? new Map<string, number>()
    places.delete(deviceId)
    this.#places.set(workspaceId, places.set(deviceId, performance.now() + PLACE_MS))
  }
}

interface DeviceRef {
  workspaceId: string
  deviceId: string
}

/** By the device's template at the time it connected. */
function change(meter: TrafficMeter | undefined, by: 1 | -1): void {
  if (!(meter instanceof TemplateMeter)) return
  meter.devices.change(by)
  meter.workspace.devices.change(by)
}
