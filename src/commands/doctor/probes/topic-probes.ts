/** Probes of topic rules: a client reaches its own topics and no others. */
import { admitted, type Client, comesTrue, DELIVERY_MS, publishes, subscribes } from './client.ts'
import { fail, type Finding, pass, type ExaminedBroker, type Probe, warn } from './examination.ts'

const topicRules = {
  advice:
    'Configure the broker to apply the rules of the hook to every publish and subscribe, and to deny topics that no rule allows.',
  topics: ['topic_rules'],
} as const

const ended = async <T>(clients: readonly Client[], work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } finally {
    for (const client of clients) client.end()
  }
}

const pairOf = async ({ url, own, foreign }: ExaminedBroker): Promise<[Client, Client]> => [
  await admitted(url, own),
  await admitted(url, foreign),
]

/** The messages of others that reached the spy, once all others have published. */
async function overhears(examined: ExaminedBroker, filters: readonly string[]): Promise<Finding> {
  const { own, neighbour, foreign, url } = examined
  const [spy, victim] = await pairOf(examined)
  const bystander = await admitted(url, neighbour)
  return ended([spy, victim, bystander], async () => {
    const granted: string[] = []
    for (const filter of filters) if (await subscribes(spy, filter)) granted.push(filter)
    await subscribes(victim, `${foreign.prefix}/cmd`)
    await publishes(victim, `${foreign.prefix}/telemetry`)
    await publishes(bystander, `${neighbour.prefix}/telemetry`)
    await examined.commandForeign()
    const isControlled = await comesTrue(() => victim.heard.length > 0, DELIVERY_MS * 2)
    await comesTrue(() => spy.heard.length > 0, DELIVERY_MS / 3)
    const leaked = spy.heard.filter((topic) => !topic.startsWith(`${own.prefix}/`))
    if (leaked.length > 0) return fail(`got ${leaked[0]} by ${granted.join(', ')}`)
    if (granted.length === 0) return pass(`${filters.join(', ')}: refused`)
    const few = `${granted.join(', ')} granted, and no message arrived`
    return isControlled
      ? pass(few)
      : warn(`${few}; nor did the expected message to the other device`)
  })
}

const foreignTopics: Probe = {
  id: 'foreign_topics',
  title: 'A device cannot read topics of another workspace',
  ...topicRules,
  run: (examined) => {
    const { prefix } = examined.foreign
    const [slug] = prefix.split('/')
    return overhears(examined, [`${prefix}/#`, `${prefix}/cmd`, `${slug}/#`, `${slug}/+/telemetry`])
  },
}

const wildcards: Probe = {
  id: 'wildcards',
  title: "Wildcards match only the device's own topics",
  ...topicRules,
  run: (examined) => {
    const [slug] = examined.own.prefix.split('/')
    return overhears(examined, [
      '#',
      '+/#',
      '+/+/telemetry',
      `${slug}/#`,
      `${slug}/+/telemetry`,
      '$share/probe/#',
      `${examined.neighbour.prefix}/#`,
    ])
  },
}

const system: Probe = {
  id: 'system_topics',
  title: "The broker's own topics are refused",
  ...topicRules,
  topics: ['system_topics', 'topic_rules'],
  async run({ url, own }) {
    const spy = await admitted(url, own)
    return ended([spy], async () => {
      const filters = ['$SYS/#', '$CONTROL/#', '$CONTROL/dynamic-security/v1/response']
      for (const filter of filters) await subscribes(spy, filter)
      const heard = await comesTrue(() => spy.heard.length > 0, DELIVERY_MS)
      return heard
        ? fail(`got ${spy.heard[0]}`)
        : pass(`no message arrived from ${filters.join('  ')}`)
    })
  },
}

const foreignPublish: Probe = {
  id: 'foreign_publish',
  title: "A device cannot publish to another device's topics",
  ...topicRules,
  async run(examined) {
    const { own, foreign, neighbour, url } = examined
    const [forger, victim] = await pairOf(examined)
    const bystander = await admitted(url, neighbour)
    return ended([forger, victim, bystander], async () => {
      const subscriptions = [await subscribes(victim, `${foreign.prefix}/cmd`)]
      subscriptions.push(await subscribes(bystander, `${neighbour.prefix}/cmd`))
      await publishes(forger, `${foreign.prefix}/cmd`)
      // A broker may disconnect a client that publishes where it must not.
      const second = forger.isClosed() ? await admitted(url, own) : forger
      await publishes(second, `${neighbour.prefix}/cmd`)
      const got = (): string | undefined => victim.heard[0] ?? bystander.heard[0]
      await comesTrue(() => got() !== undefined, DELIVERY_MS)
      second.end()
      if (got() !== undefined) return fail(`a forged command reached ${got()}`)
      if (subscriptions.includes(false))
        return warn('the other devices could not subscribe, so the result is unknown')
      return pass('commands forged for two other devices reached neither')
    })
  },
}

const foreignWill: Probe = {
  id: 'foreign_will',
  title: "A will message cannot be published to another device's topics",
  ...topicRules,
  async run(examined) {
    const { url, own, foreign } = examined
    const victim = await admitted(url, foreign)
    return ended([victim], async () => {
      if (!(await subscribes(victim, `${foreign.prefix}/cmd`))) {
        return warn('the other device could not subscribe, so the result is unknown')
      }
      const will = { topic: `${foreign.prefix}/cmd`, payload: Buffer.from('{}'), qos: 1 as const }
      const forger = await admitted(url, own, { will }).catch(() => undefined)
      if (forger === undefined) return pass('a CONNECT with such a will is refused')
      forger.mqtt.stream.destroy()
      const came = await comesTrue(() => victim.heard.length > 0, DELIVERY_MS)
      return came ? fail(`a will reached ${victim.heard[0]}`) : pass('such a will is not published')
    })
  },
}

export const topicProbes: readonly Probe[] = [
  foreignTopics,
  wildcards,
  system,
  foreignPublish,
  foreignWill,
]
