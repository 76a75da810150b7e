/** Phones show claim codes, and two devices submit each: one wins, and stays the winner. */
import { as } from '../../../support/app.ts'
import { type Part, whileLoading, type World } from '../world.ts'
import { type Device, type Devices, newestToken } from './devices.ts'

interface Bound {
  round: number
  claimId: string
  phone: string
  deviceId: string
}

/** A code that another device has used, or a device that is claimed. */
const LOST = [400, 404, 409, 410]

/** Claims whose device is not claimed, devices without their claim, and devices with two. */
const ORPHANS = `
  SELECT d.id FROM devices d
  FULL JOIN claims c
    ON c.workspace_id = d.workspace_id AND c.device_id = d.id AND c.status = 'bound'
  WHERE (d.claimed_at IS NOT NULL) IS DISTINCT FROM (c.id IS NOT NULL)
    AND (c.id IS NULL OR c.status = 'bound')
  UNION ALL
  SELECT device_id FROM claims WHERE status = 'bound' GROUP BY device_id HAVING count(*) > 1`

export class Claims implements Part {
  readonly #world: World
  readonly #devices: Devices
  #bound: Bound[] = []

  constructor(world: World, devices: Devices) {
    this.#world = world
    this.#devices = devices
  }

  load(): Promise<unknown> {
    const random = this.#world.random(3)
    return whileLoading(this.#world, 10, () => this.#claim(random))
  }

  async #claim(random: () => number): Promise<void> {
    const world = this.#world
    const rivals = this.#devices.take(random, 2)
    const session = await world.send('phone', 'POST', '/moid/session', { body: {} })
    if (session === undefined || rivals.length < 2) return
    const phone = String(session.body.access_token)
    const claim = await world.send('claim', 'POST', '/moid/claims', {
      as: as.phone(phone),
      body: { workspace_id: world.place.workspaceId, name: 'Lamp' },
    })
    if (claim === undefined) return
    const { claim_id: claimId, claim_code: code } = claim.body as Record<string, string>
    const winners = (await Promise.all(rivals.map((rival) => this.#bind(rival, code)))).flat()
    if (winners.length > 1) world.violate(`both ${winners.join(' and ')} won ${claimId}`)
    for (const deviceId of winners) {
      this.#bound.push({ round: world.round, claimId: String(claimId), phone, deviceId })
    }
  }

  /** @returns the device, if it has won */
  async #bind(device: Device, code: string | undefined): Promise<string[]> {
    const response = await this.#world.send(
      'bind',
      'POST',
      '/devices/auth/bind-claim',
      { as: as.device(newestToken(device)), body: { claim_code: code } },
      LOST,
    )
    if (response !== undefined) this.#devices.usedToken(device)
    return response?.status === 200 ? [device.id] : []
  }

  async check(): Promise<void> {
    const world = this.#world
    this.#bound = this.#bound.filter(({ round }) => round === world.round)
    for (const { claimId, phone, deviceId } of this.#bound) {
      const claim = await world.ask('GET', `/moid/claims/${claimId}`, { as: as.phone(phone) })
      const { status, device_id: present } = (claim.body ?? {}) as Record<string, unknown>
      if (status !== 'bound' || present !== deviceId) {
        world.violate(`${deviceId} won ${claimId}, which says ${claim.text}`)
      }
    }
    const orphans = await world.rows(ORPHANS)
    if (orphans.length > 0) world.violate(`claims and devices differ: ${JSON.stringify(orphans)}`)
  }
}
