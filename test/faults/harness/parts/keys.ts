/** API keys are made, used and revoked: revoked keys are refused from then on, the rest works. */
import { as, type Headers } from '../../../support/app.ts'
import { type Part, sample, whileLoading, type World } from '../world.ts'

interface Key {
  id: string
  headers: Headers
  /** A path that the key may read. */
  path: string
}

export class Keys implements Part {
  readonly #world: World
  #live: Key[] = []
  #revoked: Key[] = []

  constructor(world: World) {
    this.#world = world
  }

  load(): Promise<unknown> {
    const random = this.#world.random(4)
    return whileLoading(this.#world, 10, () => this.#make(random))
  }

  async #make(random: () => number): Promise<void> {
    const world = this.#world
    const { path, staff } = world.place
    const kind = random() < 0.5 ? 'platform' : 'provision'
    const made = await world.send('key', 'POST', `${path}/api-keys`, {
      as: staff,
      body: { key_kind: kind },
    })
    if (made === undefined) return
    const { id, key } = made.body as { id: string; key: string }
    const own: Key =
      kind === 'platform'
        ? { id, headers: as.platformKey(key), path }
        : { id, headers: as.factory(key), path: '/provision/device-templates' }
    await world.send('use', 'GET', own.path, { as: own.headers })
    if (random() < 0.4) {
      this.#live.push(own)
      return
    }
    const revoked = await world.send('revoke', 'DELETE', `${path}/api-keys/${id}`, { as: staff })
    if (revoked === undefined) return
    this.#revoked.push(own)
    const after = await world.send('use', 'GET', own.path, { as: own.headers }, [401])
    if (after !== undefined && after.status !== 401) {
      world.violate(`${id} works after it was revoked: ${after.status}`)
    }
  }

  async check(): Promise<void> {
    const random = this.#world.random(5)
    const statusOf = async ({ headers, path }: Key): Promise<number> =>
      (await this.#world.ask('GET', path, { as: headers })).status
    const expect = async (keys: readonly Key[], wanted: number): Promise<void> => {
      for (const key of new Set([...keys.slice(-10), ...sample(random, keys, 5)])) {
        const status = await statusOf(key)
        if (status === wanted) continue
        this.#world.violate(`${key.id} was answered with ${status} instead of ${wanted}`)
      }
    }
    await expect(this.#live, 200)
    await expect(this.#revoked, 401)
  }
}
