/** How long changes of topic rules take to reach sessions of another process. */
import type { MqttClient } from 'mqtt'
import {
  connectDevice,
  connectPrincipal,
  COUNT,
  type Delays,
  delaysOfEach,
  expect,
  type Pair,
  pollUntil,
} from './delays.ts'
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

interface RightChange {
  topic: string
  change: () => Promise<unknown>
}

/** @returns how long until the right to publish came, or until it was gone */
async function timeOfRight(
  client: MqttClient,
  isAllowed: boolean,
  { topic, change }: RightChange,
): Promise<number> {
  const isSo = async (): Promise<boolean> => (await mayPublish(client, topic)) === isAllowed
  if (await isSo()) throw new Error(`the change of ${topic} is there before it is made`)
  const begin = performance.now()
  await change()
  await pollUntil(`a change of ${topic}`, isSo)
  return performance.now() - begin
}

const ruleOf = (topic: string): object => ({
  permission: 'allow',
  action: 'publish',
  topic: topic.replace(SLUG, '{slug}'),
})

/** A device or a principal. */
interface Owner {
  client: MqttClient
  id: string
  path: string
}

/** An owner gets a rule of its own, which is then for another topic, and loses it again. */
async function changeOwnRule(pair: Pair, { client, id, path }: Owner): Promise<number[]> {
  const { one, staff } = pair
  const rules = `${path}/acls`
  const [first, second] = [`${SLUG}/hall/${id}`, `${SLUG}/yard/${id}`]
  let rule = ''
  const add = async (): Promise<void> => {
    rule = `${rules}/${(await expect(201, one, staff, 'POST', rules, ruleOf(first))).id}`
  }
  const update = () => expect(200, one, staff, 'PATCH', rule, ruleOf(second))
  const remove = () => expect(204, one, staff, 'DELETE', rule)
  const times = [
    await timeOfRight(client, true, { topic: first, change: add }),
    await timeOfRight(client, false, { topic: first, change: update }),
    await timeOfRight(client, false, { topic: second, change: remove }),
  ]
  await client.endAsync()
  return times
}

/** A template gets a rule and loses it again. */
async function changeTemplate(pair: Pair, client: MqttClient, at: number): Promise<number[]> {
  const { one, staff, workspace, database } = pair
  const topic = `${SLUG}/gate/${at}`
  const path = `${workspace}/device-templates/${database.workspace.templateId}`
  const set = (mqtt_acl: object[]) => expect(200, one, staff, 'PATCH', path, { mqtt_acl })
  return [
    await timeOfRight(client, true, { topic, change: () => set([ruleOf(topic)]) }),
    await timeOfRight(client, false, { topic, change: () => set([]) }),
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

async function delaysOfTemplate(pair: Pair, next: () => SeededDevice): Promise<Delays[]> {
  const names = [
    'a new rule of a template applies to the last of 1,000 sessions',
    'a deleted one no longer applies to it',
  ]
  let clients: MqttClient[] = []
  const delays = await delaysOfEach(pair, names, COUNT, async (at) => {
    if (at === 0) clients = await connectFleet(pair, next)
    return changeTemplate(pair, clients.at(-1) as MqttClient, at)
  })
  await Promise.all(clients.map((client) => client.endAsync()))
  return delays
}

export async function delaysOfRules(pair: Pair, next: () => SeededDevice): Promise<Delays[]> {
  const ofDevice = async (): Promise<number[]> => {
    const device = next()
    const path = `${pair.workspace}/devices/${device.id}`
    return changeOwnRule(pair, { id: device.id, path, client: await connectDevice(pair, device) })
  }
  const ofPrincipal = async (at: number): Promise<number[]> =>
    changeOwnRule(pair, await connectPrincipal(pair, `bench rules ${at}`))
  return [
    ...(await delaysOfEach(
      pair,
      [
        'a rule that is added to a device applies to its session',
        'a rule of a device that is changed applies',
        'a rule of a device that is deleted no longer applies',
      ],
      COUNT,
      ofDevice,
    )),
    ...(await delaysOfEach(
      pair,
      [
        'a rule that is added to a principal applies to its session',
        'a rule of a principal that is changed applies',
        'a rule of a principal that is deleted no longer applies',
      ],
      COUNT,
      ofPrincipal,
    )),
    ...(await delaysOfTemplate(pair, next)),
  ]
}
