/** How long changes of topic rules take to reach sessions of another process. */
import type { MqttClient } from 'mqtt'
import { connectDevice, COUNT, type Delays, expect, type Pair, pollUntil } from './delays.ts'
import type { SeededDevice } from './seed.ts'

/** The slug of the first workspace of a seed. */
export const SLUG = 'bench'
/** Devices of the template that are connected. */
const FLEET = 1_000
const CONNECTING_AT_ONCE = 20

/** Whether a device may publish to the topic: an MQTT 5 client receives the refusal. */
const mayPublish = (client: MqttClient, topic: string): Promise<boolean> =>
  client.publishAsync(topic, 'on', { qos: 1 }).then(
    () => true,
    () => false,
  )

interface RuleChange {
  client: MqttClient
  topic: string
  add: () => Promise<void>
  remove: () => Promise<void>
}

/** @returns how long until the right to publish came, and until it was gone */
async function changeRight({ client, topic, add, remove }: RuleChange): Promise<[number, number]> {
  const timeOf = async (isAllowed: boolean, change: () => Promise<void>): Promise<number> => {
    const isSo = async (): Promise<boolean> => (await mayPublish(client, topic)) === isAllowed
    if (await isSo()) throw new Error(`the change of ${topic} is there before it is made`)
    const begin = performance.now()
    await change()
    await pollUntil(`a change of ${topic}`, isSo)
    return performance.now() - begin
  }
  return [await timeOf(true, add), await timeOf(false, remove)]
}

const ruleOf = (topic: string): object => ({
  permission: 'allow',
  action: 'publish',
  topic: topic.replace(SLUG, '{slug}'),
})

/** A device gets a rule of its own and loses it again. */
async function changeOwnRule(pair: Pair, device: SeededDevice): Promise<[number, number]> {
  const { one, staff, workspace } = pair
  const client = await connectDevice(pair, device)
  const topic = `${SLUG}/hall/${device.id}`
  const rules = `${workspace}/devices/${device.id}/acls`
  let rule = ''
  const add = async (): Promise<void> => {
    rule = (await expect(201, one, staff, 'POST', rules, ruleOf(topic))).id
  }
  const remove = (): Promise<void> => expect(204, one, staff, 'DELETE', `${rules}/${rule}`)
  const times = await changeRight({ client, topic, add, remove })
  await client.endAsync()
  return times
}

/** A template gets a rule and loses it again. */
function changeTemplate(pair: Pair, client: MqttClient, at: number): Promise<[number, number]> {
  const { one, staff, workspace, database } = pair
  const topic = `${SLUG}/gate/${at}`
  const path = `${workspace}/device-templates/${database.workspace.templateId}`
  const set = (mqtt_acl: object[]): Promise<void> =>
    expect(200, one, staff, 'PATCH', path, { mqtt_acl })
  return changeRight({ client, topic, add: () => set([ruleOf(topic)]), remove: () => set([]) })
}

async function delaysOfPairs(
  names: readonly [string, string],
  count: number,
  change: (at: number) => Promise<[number, number]>,
): Promise<Delays[]> {
  const times: [number, number][] = []
  for (let at = 0; at < count; at += 1) times.push(await change(at))
  const sorted = (side: 0 | 1): number[] =>
    times.map((each) => each[side]).toSorted((a, b) => a - b)
  return [
    { what: names[0], ms: sorted(0) },
    { what: names[1], ms: sorted(1) },
  ]
}

/** Sessions are checked in the order in which they began, so the last device connects by itself. */
async function connectFleet(pair: Pair, next: () => SeededDevice): Promise<MqttClient[]> {
  const clients: MqttClient[] = []
  while (clients.length < FLEET - 1) {
    const length = Math.min(CONNECTING_AT_ONCE, FLEET - 1 - clients.length)
    const some = Array.from({ length }, () => connectDevice(pair, next()))
    clients.push(...(await Promise.all(some)))
  }
  return [...clients, await connectDevice(pair, next())]
}

export async function delaysOfRules(pair: Pair, next: () => SeededDevice): Promise<Delays[]> {
  const own = await delaysOfPairs(
    ['a rule that is added applies to a session', 'a rule that is deleted no longer applies'],
    COUNT,
    () => changeOwnRule(pair, next()),
  )
  const clients = await connectFleet(pair, next)
  const last = clients.at(-1) as MqttClient
  const ofTemplate = await delaysOfPairs(
    [
      'a new rule of a template applies to the last of 1,000 sessions',
      'a deleted one no longer applies to it',
    ],
    COUNT,
    (at) => changeTemplate(pair, last, at),
  )
  await Promise.all(clients.map((client) => client.endAsync()))
  return [...own, ...ofTemplate]
}
