/**
 * Follows the event feed from page to page, and receives a webhook, whose receiver is sometimes
 * down. The feed omits no event, and each one reaches the receiver, those of a device in order.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatId } from '../../../../src/platform/lib/ids.ts'
import { until } from '../../../support/until.ts'
import { assertSigned, firsts } from '../../../features/events/webhooks/event-delivery.ts'
import type { Receiver } from '../../../features/events/webhooks/receivers.ts'
import { type Part, pick, whileLoading, type World } from '../world.ts'

const TYPES = ['device.registered', 'device.rotated', 'device.claimed', 'device.deleted']
const MORE_TYPES = ['api_key.*', 'job.*', 'payment.*']
const DELIVERY_MS = 120_000

interface EventRow {
  id: string
  subject_id: string | null
  seq: string
  isSent: boolean
}

export class Events implements Part {
  readonly #world: World
  readonly #receiver: Receiver
  #secret = ''
  #webhookId = ''
  #cursor = 'latest'
  #read = new Set<string>()
  #checkedSeq = '0'

  constructor(world: World, receiver: Receiver) {
    this.#world = world
    this.#receiver = receiver
  }

  async prepare(): Promise<void> {
    const { path } = this.#world.place
    const body = { url: this.#receiver.url, types: [...TYPES, ...MORE_TYPES] }
    const made = await this.#world.ask('POST', `${path}/webhooks`, { body })
    this.#secret = made.body.secret
    this.#webhookId = made.body.id
    await this.#readPage()
    const [last] = await this.#world.rows<{ seq: string }>('SELECT max(seq) AS seq FROM events')
    this.#checkedSeq = last?.seq ?? '0'
  }

  load(): Promise<unknown> {
    const random = this.#world.random(8)
    return Promise.all([
      whileLoading(this.#world, 20, () => this.#readPage()),
      whileLoading(this.#world, 20, () => this.#disturb(random)),
    ])
  }

  /** @returns whether there may be more */
  async #readPage(): Promise<boolean> {
    const { path, staff } = this.#world.place
    const query = `?limit=200&after=${encodeURIComponent(this.#cursor)}`
    const page = await this.#world.send('feed', 'GET', `${path}/events${query}`, { as: staff })
    if (page === undefined) return true
    for (const { id } of page.body.items as { id: string }[]) {
      if (this.#read.has(id)) this.#world.violate(`the feed gave ${id} twice`)
      this.#read.add(id)
    }
    this.#cursor = page.body.next_cursor
    return page.body.items.length > 0
  }

  async #disturb(random: () => number): Promise<void> {
    const receiver = this.#receiver
    const how = pick(random, ['good', 'good', 'fails', 'closes', 'away'] as const) ?? 'good'
    if (how === 'away') await receiver.die()
    else receiver.behaviour = how
    await sleep(100 + random() * 200)
    if (how === 'away') await receiver.rise()
    receiver.behaviour = 'good'
  }

  async check(): Promise<void> {
    const rows = await this.#newEvents()
    const idOf = ({ id }: EventRow): string => formatId('evt', id)
    const unread = (): EventRow[] => rows.filter((row) => !this.#read.has(idOf(row)))
    // A page may be empty while a transaction that is open delays the events after it.
    const isComplete = async () => !(await this.#readPage()) && unread().length === 0
    await until('the feed has been read', isComplete, DELIVERY_MS).catch(() =>
      this.#world.violate(`the feed left out ${unread().map(idOf).join(', ')}`),
    )
    const sent = rows.filter(({ isSent }) => isSent)
    const { ids } = this.#receiver
    await until(
      'webhooks are delivered',
      () => sent.every((row) => ids.has(idOf(row))),
      DELIVERY_MS,
    )
      .then(() => this.#checkDeliveries(sent))
      .catch(async (error: unknown) => {
        const lost = sent.map(idOf).filter((id) => !ids.has(id))
        const { path } = this.#world.place
        const webhook = await this.#world.ask('GET', `${path}/webhooks/${this.#webhookId}`)
        this.#world.violate(`webhooks: ${String(error)}; ${lost.join(' ')}; ${webhook.text}`)
      })
    this.#checkedSeq = rows.at(-1)?.seq ?? this.#checkedSeq
    this.#drop(new Set(rows.map(idOf)))
  }

  /** Rows that came after the listing belong to the next check. */
  #drop(checked: ReadonlySet<string>): void {
    const { got, ids } = this.#receiver
    for (const id of checked) {
      this.#read.delete(id)
      ids.delete(id)
    }
    got.splice(0, got.length, ...got.filter(({ id }) => !checked.has(id)))
  }

  #newEvents(): Promise<EventRow[]> {
    return this.#world.rows<EventRow>(
      `SELECT id, subject_id, seq,
              type = ANY($3) OR type LIKE 'api_key.%' OR type LIKE 'job.%'
                OR type LIKE 'payment.%' AS "isSent"
       FROM events WHERE workspace_id = $1 AND seq > $2 ORDER BY seq`,
      [this.#world.place.workspaceUuid, this.#checkedSeq, TYPES],
    )
  }

  /** Signatures, and the order of the events of each device. */
  #checkDeliveries(sent: readonly EventRow[]): void {
    const got = firsts(this.#receiver.got)
    assertSigned(got, this.#secret)
    const place = new Map(got.map(({ id }, at) => [id, at]))
    const last = new Map<string, number>()
    for (const { id, subject_id: device } of sent) {
      const at = place.get(formatId('evt', id)) ?? 0
      if (device !== null && at < (last.get(device) ?? -1)) {
        this.#world.violate(`${formatId('evt', id)} came before an earlier event of its device`)
      }
      if (device !== null) last.set(device, at)
    }
  }
}
