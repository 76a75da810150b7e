/**
 * MQTT topic rules as pure functions that every broker adapter shares, so that one policy means the
 * same on each broker. Source: MQTT 5.0, sections 1.5.4 (strings), 4.7 (topic names and filters)
 * and 4.8.2 (`$share`).
 */
import { LRUCache } from 'lru-cache'
import { oncePer } from '../../platform/lib/once-per.ts'
import { filterMatches, levelsCover, levelsIntersect } from '../../platform/lib/topic-levels.ts'
import type { TopicRule } from './port.ts'

const MAXIMUM_TOPIC_BYTES = 65_535

/**
 * U+0000 is forbidden in MQTT strings. Decoders substitute U+FFFD for invalid UTF-8; two different
 * byte strings would become the same topic, so it is refused too.
 */
const FORBIDDEN_IN_STRINGS = /[\u0000\uFFFD]/
const FORBIDDEN_IN_NAMES = /[\u0000\uFFFD+#]/
const MISPLACED_WILDCARD = /[^/][+#]|\+[^/]|#./s

const SHARE_PREFIX = '$share/'

const isString = (text: string): boolean =>
  text.length > 0 &&
  // A UTF-16 unit takes at most three bytes, so the exact count is needed for long topics only.
  (text.length * 3 <= MAXIMUM_TOPIC_BYTES || Buffer.byteLength(text) <= MAXIMUM_TOPIC_BYTES) &&
  text.isWellFormed()

/** Whether this is a well-formed topic name. */
export const isTopicName = (topic: string): boolean =>
  !FORBIDDEN_IN_NAMES.test(topic) && isString(topic)

/**
 * Whether this is a well-formed topic filter: a wildcard fills a whole level, and `#` only the
 * last.
 */
export const isTopicFilter = (filter: string): boolean =>
  !FORBIDDEN_IN_STRINGS.test(filter) && !MISPLACED_WILDCARD.test(filter) && isString(filter)

export interface RequestedSubscription {
  /** The group of a shared subscription, else undefined. */
  group: string | undefined
  /** The filter that decides which messages are delivered. */
  filter: string
}

/** Parses the filter of a SUBSCRIBE; undefined if it is malformed. */
export const readSubscription = (requested: string): RequestedSubscription | undefined => {
  if (requested !== '$share' && !requested.startsWith(SHARE_PREFIX)) {
    return isTopicFilter(requested) ? { group: undefined, filter: requested } : undefined
  }
  const end = requested.indexOf('/', SHARE_PREFIX.length)
  if (end === -1) return undefined
  const group = requested.slice(SHARE_PREFIX.length, end)
  const filter = requested.slice(end + 1)
  return isTopicName(group) && isTopicFilter(filter) ? { group, filter } : undefined
}

/** Whether a message on this topic is delivered to this filter. Both must be well-formed. */
export const matches = filterMatches

/** Whether `outer` matches every topic that `inner` matches. Both must be well-formed filters. */
export const covers = (outer: string, inner: string): boolean =>
  levelsCover(outer.split('/'), inner.split('/'))

/** Whether some topic is matched by both filters. Both must be well-formed. */
export const intersects = (left: string, right: string): boolean =>
  levelsIntersect(left.split('/'), right.split('/'))

/** Whether a rule is about publishing, or about subscribing and receiving. */
export const isAbout = ({ action }: TopicRule, of: 'publish' | 'subscribe'): boolean =>
  action === of || action === 'pubsub'

/** A grant's rules by action, all well-formed. */
export interface CompiledRules {
  publish: readonly TopicRule[]
  subscribe: readonly TopicRule[]
}

/**
 * Prepares rules for the decisions below.
 * Throws when a rule's topic is not a well-formed filter: dropping a deny would widen a grant.
 */
export const compileRules = (rules: readonly TopicRule[]): CompiledRules => {
  if (!rules.every(({ topic }) => isTopicFilter(topic))) {
    throw new Error('A rule contains a malformed topic filter.')
  }
  return {
    publish: rules.filter((rule) => isAbout(rule, 'publish')),
    subscribe: rules.filter((rule) => isAbout(rule, 'subscribe')),
  }
}

/** Like `compileRules`, once for each list. */
export const compiledOnce = oncePer(compileRules)

const firstMatch = (rules: readonly TopicRule[], topic: string): TopicRule | undefined =>
  topic.startsWith('$') || !isTopicName(topic)
    ? undefined
    : rules.find((rule) => filterMatches(rule.topic, topic))

const isWild = (code: number): boolean => code === 43 || code === 35

/**
 * Whether two filters cannot have a topic in common because they differ before any wildcard. A
 * cheap test that settles most pairs.
 */
const differAtOnce = (one: string, other: string): boolean => {
  const end = Math.min(one.length, other.length)
  for (let at = 0; at < end; at += 1) {
    const [left, right] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (isWild(left) || isWild(right)) return false
    if (left !== right) return true
  }
  return false
}

/**
 * An allow must cover the whole filter, and a deny before it must not touch the filter, so whatever
 * is granted may be received on each of its topics. A shared subscription is checked by the filter
 * behind its group.
 */
const firstForFilter = (rules: CompiledRules, requested: string): TopicRule | undefined => {
  const filter = readSubscription(requested)?.filter
  if (filter === undefined || filter.startsWith('$')) return undefined
  const wanted = filter.split('/')
  return rules.subscribe.find(({ topic, permission }) => {
    if (differAtOnce(topic, filter)) return false
    const levels = topic.split('/')
    return permission === 'allow' ? levelsCover(levels, wanted) : levelsIntersect(levels, wanted)
  })
}

/** To publish a message to a topic, to subscribe to a filter, to receive a message on a topic. */
export type TopicAction = 'publish' | 'subscribe' | 'receive'

/**
 * The rule that decides about this, as it stands in the list that was compiled: the first that
 * applies. Without one (undefined) it is denied; so is whatever begins with `$`, the broker's own.
 */
export const decidingRule = (
  rules: CompiledRules,
  action: TopicAction,
  topic: string,
): TopicRule | undefined =>
  action === 'subscribe'
    ? firstForFilter(rules, topic)
    : firstMatch(action === 'publish' ? rules.publish : rules.subscribe, topic)

/** Whether these rules let a message be published to this topic. */
export const mayPublish = (rules: CompiledRules, topic: string): boolean =>
  firstMatch(rules.publish, topic)?.permission === 'allow'

/** Whether these rules let a message on this topic be delivered. */
export const mayReceive = (rules: CompiledRules, topic: string): boolean =>
  firstMatch(rules.subscribe, topic)?.permission === 'allow'

/** Whether these rules let this filter be subscribed to. */
export const maySubscribe = (rules: CompiledRules, requested: string): boolean =>
  firstForFilter(rules, requested)?.permission === 'allow'

/** The values that a rule's topic may name between braces, by their names. */
export type TopicVariables = Readonly<Record<string, string>>

/** A value must stay one literal level: no separator, no wildcard, nothing invisible. */
const isOneLevel = (value: string): boolean =>
  isTopicName(value) && !/[/\u0000-\u001F\u007F-\u009F\u2028\u2029\uFEFF]/.test(value)

interface TopicTemplate {
  /** The literal text before each name, and after the last one. */
  texts: readonly string[]
  names: readonly string[]
}

function parseTemplate(template: string): TopicTemplate {
  const parts = template.split(/\{([^{}]*)\}/)
  const texts = parts.filter((_, index) => index % 2 === 0)
  const isFilter = isTopicFilter(texts.join('x')) && !template.startsWith('$')
  if (!isFilter || texts.some((text) => /[{}]/.test(text))) {
    throw new Error('The topic is malformed.')
  }
  return { texts, names: parts.filter((_, index) => index % 2 === 1) }
}

/** A few templates stand in the rules of many devices. */
const templates = new LRUCache<string, TopicTemplate>({ max: 1_000 })

function templateOf(text: string): TopicTemplate {
  const known = templates.get(text)
  if (known !== undefined) return known
  const parsed = parseTemplate(text)
  templates.set(text, parsed)
  return parsed
}

/**
 * Returns what fills these values into rules' topics, such as `{slug}` and `{device_key}`. It
 * throws on another variable, a stray brace, a value that isn't one literal level, and a result
 * that is malformed or begins with `$`.
 */
export function topicFiller(variables: TopicVariables): (template: string) => string {
  const checked = new Set<string>()
  const valueOf = (name: string): string => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (value === undefined) {
      throw new Error(`A topic may name nothing but ${Object.keys(variables).join(', ')}.`)
    }
    if (!checked.has(name)) {
      if (!isOneLevel(value)) throw new Error(`The value of {${name}} can't stand in a topic.`)
      checked.add(name)
    }
    return value
  }
  return (template) => {
    const { texts, names } = templateOf(template)
    let filled = texts[0] ?? ''
    for (const [index, name] of names.entries()) filled += valueOf(name) + texts[index + 1]
    if (filled.startsWith('$') || !isString(filled)) throw new Error('The topic is malformed.')
    return filled
  }
}

const allow = (action: 'publish' | 'subscribe', suffix: string): TopicRule => ({
  action,
  topic: `{slug}/{device_key}/${suffix}`,
  permission: 'allow',
})

/** The topics on which a device reports to the service. */
export const REPORTS: readonly string[] = [
  'state',
  'presence',
  'presence/',
  'events',
  'ack',
  'config/get',
  'config/status',
]

/** The rights of a device unless its template or its own rules say otherwise. */
export const DEFAULT_DEVICE_RULES: readonly TopicRule[] = Object.freeze([
  ...['telemetry', ...REPORTS].map((suffix) => allow('publish', suffix)),
  ...['cmd', 'cmd/#', 'config/#'].map((suffix) => allow('subscribe', suffix)),
])
