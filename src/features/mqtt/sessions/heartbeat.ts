/** The sign of life of this process, by which processes notice that another one has died. */
import { columnsOf } from '../../../platform/database/sql.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import * as store from './store.ts'
import type { Services } from '../../../context.ts'

type HeartbeatServices = Pick<Services, 'db' | 'clock' | 'nodeId'>

export class Heartbeat {
  readonly #services: HeartbeatServices
  readonly #onSilence: readonly (() => void)[]
  /** Beats that report a silence once more. */
  #repetitions = 0

  /**
   * @param onSilence called if this process was silent for so long that others may consider it
   * dead, and may have recorded that its sessions have ended
   */
  constructor(services: HeartbeatServices, onSilence: readonly (() => void)[]) {
    this.#services = services
    this.#onSilence = onSilence
  }

  /** Records that this process is alive, and reports devices of dead processes as disconnected. */
  async beat(): Promise<void> {
    const { db, nodeId } = this.#services
    // A process that considers this one dead may still be writing, so the next beat repeats it.
    if ((await store.beatNode.one(db, { id: nodeId })).was_silent) this.#repetitions = 2
    if (this.#repetitions > 0) for (const report of this.#onSilence) report()
    this.#repetitions = Math.max(0, this.#repetitions - 1)
    await this.#takeOrphans()
    await store.deleteOldNodes.run(db)
  }

  /** Removes this process from the list of processes at an orderly stop. */
  async leave(): Promise<void> {
    await store.removeNode.run(this.#services.db, { id: this.#services.nodeId })
  }

  async #takeOrphans(): Promise<void> {
    const { db, clock, nodeId } = this.#services
    const rows = await store.findOrphans.rows(db, { nodeId })
    if (rows.length === 0) return
    const how = { connected: false, isRetained: false, at: clock.now() }
    const writes = rows.map((row) => ({
      workspaceId: row.workspace_id,
      deviceId: row.device_id,
      incarnation: row.incarnation,
      address: row.address,
      protocolVersion: row.protocol_version,
      ...how,
      eventId: newUuid(),
      resourceId: formatId('dev', row.device_id),
    }))
    await store.writePresence.run(db, { ...columnsOf(writes), nodeId })
  }
}
