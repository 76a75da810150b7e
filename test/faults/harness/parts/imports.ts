/** Imports files of devices. Every row that was acknowledged is a device, and its secrets work. */
import { as } from '../../../support/app.ts'
import type { Result } from '../../../support/transfers.ts'
import { type Part, sample, whileLoading, type World } from '../world.ts'

const ROWS = 100

interface Imported {
  id: string
  key: string
  token: string | undefined
}

export class Imports implements Part {
  readonly #world: World
  #rows = 0
  #imported: Imported[] = []

  constructor(world: World) {
    this.#world = world
  }

  /** Devices that may be deleted. @returns their ids */
  take(count: number): string[] {
    return this.#imported.splice(0, count).map(({ id }) => id)
  }

  load(): Promise<unknown> {
    return whileLoading(this.#world, 30, () => this.#import())
  }

  async #import(): Promise<void> {
    const { path, staff } = this.#world.place
    const rows = Array.from({ length: ROWS }, () => {
      this.#rows += 1
      const key = `I-${this.#world.round}-${this.#rows}`
      return { device_key: key, hardware_id: `hw-${key}`, model_key: 'sensor' }
    })
    const to = `${path}/devices/import?credentials=true`
    await this.#world.stream(to, staff, rows, (line) => {
      const result = line as Result
      const { device_id: id, device_key: key, device_http_token: token } = result
      if (result.code === 'unavailable') return
      if (result.status !== 'created' || id === undefined || key === undefined) {
        this.#world.violate(`a row of an import was answered with ${JSON.stringify(result)}`)
        return
      }
      this.#world.count('import')
      this.#imported.push({ id, key, token })
    })
  }

  async check(): Promise<void> {
    const world = this.#world
    const keys = this.#imported.map(({ key }) => key)
    const found = await world.rows<{ device_key: string }>(
      'SELECT device_key FROM devices WHERE workspace_id = $1 AND device_key = ANY($2)',
      [world.place.workspaceUuid, keys],
    )
    const there = new Set(found.map(({ device_key: key }) => key))
    for (const key of keys) if (!there.has(key)) world.violate(`${key} was imported and is gone`)
    for (const { id, token } of sample(world.random(6), this.#imported, 5)) {
      const { status } = await world.ask('GET', '/devices/auth/me', { as: as.device(token ?? '') })
      if (status !== 200) world.violate(`the token of the imported ${id} was answered ${status}`)
    }
    // The next round deletes some of the last ones.
    this.#imported = this.#imported.slice(-400)
  }
}
