/**
 * Counts connected devices in this process, each once, and enforces the plan's limit at CONNECT.
 * Local sessions and accepted CONNECTs that have no session yet are known exactly; the devices of
 * other processes are counted at most once a second.
 */
import { LRUCache } from 'lru-cache'
import type { ConnectRefusal, Session } from '../../../adapters/broker/port.ts'
import type { TrafficMeter } from '../../../adapters/broker/traffic-meter.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { upTo } from '../../../platform/lib/cache-size.ts'
import type { MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import { explain, type LimitsOf, type Reached } from './limits.ts'
import { TemplateMeter, type WorkspaceMeter } from './meter.ts'
import * as store from './store.ts'
import type { UsageMeters } from './usage-meters.ts'

export interface ConnectedDeviceServices {
  db: Db
  /** UUID of this process. */
  nodeId: string
  limitsOf: LimitsOf | undefined
  usage: Pick<UsageMeters, 'ofWorkspace'>
}

/** How long the count of other processes is cached. */
const COUNTED_MS = 1_000
/** By then an accepted CONNECT has become a session or failed. */
const PLACE_MS = 15_000
const REMEMBERED = 10_000

export class ConnectedDevices {
  readonly #services: ConnectedDeviceServices
  /** By workspace. */
  readonly #inOtherProcesses: LRUCache<string, number>
  /** By workspace: devices with a reserved place, and until when. */
  readonly #places = new Map<string, Map<string, number>>()

  constructor(services: ConnectedDeviceServices) {
    this.#services = services
    const { db, nodeId } = services
    this.#inOtherProcesses = new LRUCache({
      ...upTo(REMEMBERED),
      ttl: COUNTED_MS,
      fetchMethod: async (workspaceId) =>
        (await store.countOnOtherNodes.one(db, { workspaceId, nodeId })).devices,
    })
  }

  /**
   * Reserves a place for a device that has no session in this process, unless the limit is reached;
   * without plans it returns synchronously. If the limit cannot be checked, the device is admitted.
   */
  findRefusal({
    workspaceId,
    id,
  }: {
    workspaceId: string
    id: string
  }): MaybePromise<ConnectRefusal | undefined> {
    const { limitsOf, usage } = this.#services
    if (limitsOf === undefined) return undefined
    return this.#reserve(limitsOf, usage.ofWorkspace(workspaceId), id).then(
      (reached) => reached && { reason: 'quota_exceeded', explanation: explain(reached, 0) },
      () => undefined,
    )
  }

  /** @param isOnly whether the device has no other session in this process */
  opened({ session, device }: ConnectedSession, isOnly: boolean): void {
    if (device === undefined) return
    if (isOnly) change(session.grant.meter, 1)
    const places = this.#places.get(device.workspaceId)
    places?.delete(device.deviceId)
    if (places?.size === 0) this.#places.delete(device.workspaceId)
  }

  /** `last`: the session with which the device was counted, once it has none any more. */
  closed({ device }: ConnectedSession, { last }: { last: { first: Session } | undefined }): void {
    if (device && last) change(last.first.grant.meter, -1)
  }

  /** @returns the limit, if it is reached */
  async #reserve(
    limitsOf: LimitsOf,
    workspace: WorkspaceMeter,
    deviceId: string,
  ): Promise<Omit<Reached, 'meter'> | undefined> {
    const limit = (await limitsOf(workspace.id))?.connected_devices
    if (limit === undefined) return undefined
    const inOtherProcesses = await this.#inOtherProcesses.forceFetch(workspace.id)
    const reserve = (others: number): boolean => {
      // No await between the check and the reservation.
      if (workspace.devices.now + others + this.#reserved(workspace.id, deviceId) >= limit)
        return false
      this.#addPlace(workspace.id, deviceId)
      return true
    }
    if (reserve(inOtherProcesses)) return undefined
    // A device that moves between processes already has its place. When a process dies, a whole
    // fleet moves at once, and arrivals are counted twice for a while.
    const { db, nodeId } = this.#services
    const place = { workspaceId: workspace.id, nodeId, deviceId }
    const isMoving = await store.isOnAnotherNode.any(db, place)
    if (isMoving && reserve(0)) return undefined
    const use = workspace.devices.now + inOtherProcesses + this.#reserved(workspace.id, deviceId)
    return { name: 'connected_devices', value: limit, use }
  }

  /** Places reserved for other devices. */
  #reserved(workspaceId: string, deviceId: string): number {
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

  #addPlace(workspaceId: string, deviceId: string): void {
    const places = this.#places.get(workspaceId) ?? new Map<string, number>()
    places.delete(deviceId)
    this.#places.set(workspaceId, places.set(deviceId, performance.now() + PLACE_MS))
  }
}

interface ConnectedSession {
  session: Session
  /** Set if the principal is a device. */
  device: { workspaceId: string; deviceId: string } | undefined
}

/** By the device's template at the time it connected. */
function change(meter: TrafficMeter | undefined, by: 1 | -1): void {
  if (!(meter instanceof TemplateMeter)) return
  meter.devices.change(by)
  meter.workspace.devices.change(by)
}
