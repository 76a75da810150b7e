/**
 * Registers devices one by one and in streams, and rotates their secrets by key and by themselves.
 * Every device that was acknowledged is there, once, and its newest secrets work.
 */
import { as } from '../../../support/app.ts'
import { tryConnect } from '../../../support/mqtt.ts'
import { until } from '../../../support/until.ts'
import { type Part, sample, whileLoading, type World } from '../world.ts'

interface Credentials {
  device_id: string
  mqtt_password: string
  device_http_token: string
}

type Result = Credentials & { line: number; status: number; code?: string }

/** Secrets of one kind, in the order in which they were given. */
interface Secrets {
  given: string[]
  /** The last one that was accepted; earlier ones are invalid since. */
  used: number
}

export interface Device {
  id: string
  hardwareId: string
  passwords: Secrets
  tokens: Secrets
  /** One rotation at a time, so that their order is known. */
  isBusy: boolean
  round: number
}

const ROWS = 25
const newest = ({ given }: Secrets): string => given.at(-1) ?? ''

function give(device: Device, { mqtt_password: password, device_http_token: token }: Credentials) {
  if (!device.passwords.given.includes(password)) device.passwords.given.push(password)
  if (!device.tokens.given.includes(token)) device.tokens.given.push(token)
}

const markUsed = (secrets: Secrets): void => void (secrets.used = secrets.given.length - 1)

/** Nobody waits for these clients to be closed at the end of a test. */
const noTest = { after: (): void => {} }

/** The return code of a CONNACK of MQTT 3.1.1 (section 3.2.2.3). */
const SERVER_UNAVAILABLE = 3

export class Devices implements Part {
  readonly #world: World
  readonly #devices = new Map<string, Device>()
  #unanswered: string[] = []
  #names = 0

  constructor(world: World) {
    this.#world = world
  }

  /** Devices that nobody else uses from now on. */
  take(random: () => number, count: number): Device[] {
    const free = [...this.#devices.values()].filter(({ isBusy }) => !isBusy).slice(-40)
    const taken = sample(random, free, count)
    for (const device of taken) device.isBusy = true
    return taken
  }

  /** A secret of a device has been accepted. */
  usedToken(device: Device): void {
    markUsed(device.tokens)
  }

  load(): Promise<unknown> {
    const random = this.#world.random(1)
    return Promise.all([
      whileLoading(this.#world, 5, () => this.#registerOne(random)),
      whileLoading(this.#world, 5, () => this.#registerOne(random)),
      whileLoading(this.#world, 20, () =>
        this.#registerMany(Array.from({ length: ROWS }, () => this.#newName())),
      ),
      whileLoading(this.#world, 5, () => this.#rotateOne(random)),
    ])
  }

  #newName(): string {
    this.#names += 1
    return `hw-${this.#world.round}-${this.#names}`
  }

  #keep(hardwareId: string, response: Credentials): void {
    const { device_id: id } = response
    const { round } = this.#world
    const known = this.#devices.get(hardwareId)
    if (known !== undefined && known.id !== id) {
      this.#world.violate(`${hardwareId} was ${known.id} and is registered again as ${id}`)
    }
    const fresh = (): Secrets => ({ given: [], used: -1 })
    const secrets = { passwords: fresh(), tokens: fresh() }
    const device = known ?? { id, hardwareId, round, isBusy: false, ...secrets }
    give(device, response)
    this.#devices.set(hardwareId, device)
  }

  async #register(hardwareId: string): Promise<void> {
    const { factory, templateId } = this.#world.place
    const body = { template_id: templateId, hardware_id: hardwareId }
    const response = await this.#world.send('register', 'POST', '/provision/device', {
      as: factory,
      body,
    })
    if (response === undefined) this.#unanswered.push(hardwareId)
    else this.#keep(hardwareId, response.body as Credentials)
  }

  #registerOne(random: () => number): Promise<void> {
    const again = random() < 0.2 ? this.#unanswered.pop() : undefined
    return this.#register(again ?? this.#newName())
  }

  async #registerMany(names: readonly string[]): Promise<void> {
    const { factory, templateId } = this.#world.place
    const rows = names.map((name) => ({ template_id: templateId, hardware_id: name }))
    const responded = new Set<string>()
    await this.#world.stream('/provision/devices', factory, rows, (line) => {
      const result = line as Result
      const name = names[result.line - 1] as string
      if (result.status === 503) return
      responded.add(name)
      if (result.status > 201) {
        this.#world.violate(`a row of a stream was answered with ${JSON.stringify(result)}`)
        return
      }
      this.#world.count('stream')
      this.#keep(name, result)
    })
    this.#unanswered.push(...names.filter((name) => !responded.has(name)))
  }

  async #rotateOne(random: () => number): Promise<void> {
    const device = this.take(random, 1)[0]
    if (device === undefined) return
    const token = as.device(newest(device.tokens))
    const isOwn = random() < 0.5
    const response = isOwn
      ? await this.#world.send('rotate', 'POST', '/devices/auth/credentials/rotate', { as: token })
      : await this.#world.send('rotate', 'POST', '/provision/device', {
          as: this.#world.place.factory,
          body: { device_id: device.id },
        })
    if (isOwn && response !== undefined) this.usedToken(device)
    if (response !== undefined) give(device, response.body as Credentials)
    if (response !== undefined && random() < 0.5) {
      const me = { as: as.device(newest(device.tokens)) }
      if (await this.#world.send('use', 'GET', '/devices/auth/me', me)) this.usedToken(device)
    }
    device.isBusy = false
  }

  async check(): Promise<void> {
    const world = this.#world
    const random = world.random(2)
    // Whether they were registered or not, they are now, and once.
    const unanswered = this.#unanswered.splice(0)
    if (unanswered.length > 0) await this.#registerMany(unanswered)
    if (this.#unanswered.length > 0) world.violate(`${this.#unanswered.length} cannot register`)
    const all = [...this.#devices.values()]
    const recent = all.filter(({ round }) => round === world.round)
    await this.#checkRows(recent)
    const older = all.filter(({ round }) => round < world.round)
    const secrets = [...sample(random, recent, 6), ...sample(random, older, 4)]
    const rotated = recent.filter(({ tokens }) => tokens.given.length > 1)
    const chosen = new Set([...secrets, ...sample(random, rotated, 6)])
    await Promise.all([...chosen].map((device) => this.#checkSecrets(device)))
  }

  async #checkRows(recent: readonly Device[]): Promise<void> {
    const found = await this.#world.rows<{ hardware_id: string; n: number }>(
      `SELECT hardware_id, count(*)::int AS n FROM devices
       WHERE workspace_id = $1 AND hardware_id = ANY($2) GROUP BY hardware_id`,
      [this.#world.place.workspaceUuid, recent.map(({ hardwareId }) => hardwareId)],
    )
    const times = new Map(found.map(({ hardware_id: name, n }) => [name, n]))
    for (const { hardwareId, id } of recent) {
      const n = times.get(hardwareId) ?? 0
      if (n !== 1)
        this.#world.violate(`${hardwareId} (${id}) was registered and is there ${n} times`)
    }
  }

  async #checkSecrets(device: Device): Promise<void> {
    const { id, passwords, tokens } = device
    const world = this.#world
    const me = async (token: string): Promise<number> =>
      (await world.ask('GET', '/devices/auth/me', { as: as.device(token) })).status
    const tryOnce = async (password: string): Promise<number> => {
      const { port } = world.service.mqtt
      const login = { device_id: id, mqtt_password: password, mqtt_port: port }
      const { code, client } = await tryConnect(noTest, login)
      client.end(true)
      return code
    }
    const connect = async (password: string): Promise<number> => {
      let code = SERVER_UNAVAILABLE
      // While a busy machine keeps the process from its database, it admits nobody.
      await until('the service can decide about a CONNECT', async () => {
        code = await tryOnce(password)
        return code !== SERVER_UNAVAILABLE
      })
      return code
    }
    const status = await me(newest(tokens))
    if (status === 200) markUsed(tokens)
    else world.violate(`the newest token of ${id} was answered with ${status}`)
    const code = await connect(newest(passwords))
    if (code === 0) markUsed(passwords)
    else world.violate(`the newest password of ${id} was answered with ${code}`)
    const [oldToken, oldPassword] = [tokens, passwords].map((kind) => kind.given[kind.used - 1])
    if (oldToken && (await me(oldToken)) !== 401) {
      world.violate(`a token of ${id} works although a newer one was used`)
    }
    if (oldPassword && (await connect(oldPassword)) === 0) {
      world.violate(`a password of ${id} works although a newer one was used`)
    }
  }
}

export const newestToken = ({ tokens }: Device): string => newest(tokens)
