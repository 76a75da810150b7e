/**
 * The rules of MQTT topics, and what a grant's rules say about one: pure functions that every
 * broker adapter shares, so that one policy means the same on each of them.
 * Source: MQTT 5.0, sections 1.5.4 (strings), 4.7 (topic names and filters) and 4.8.2 (`$share`).
 */
import type { TopicRule } from './port.ts'

const MAXIMUM_TOPIC_BYTES = 65_535

/**
 * U+0000 is forbidden in MQTT strings. U+FFFD is what decoders put in place of bytes that aren't
 * UTF-8: with it two different byte strings would become one topic, so it is refused too.
 */
const FORBIDDEN_IN_STRINGS = /[\u0000\uFFFD]/
const FORBIDDEN_IN_NAMES = /[\u0000\uFFFD+#]/

const SHARE_PREFIX = '$share/'

const isString = (text: string): boolean =>
  text.length > 0 &&
  // A UTF-16 unit takes at most three bytes, so the exact count is needed for long topics only.
  (text.length * 3 <= MAXIMUM_TOPIC_BYTES || Buffer.byteLength(text) <= MAXIMUM_TOPIC_BYTES) &&
  text.isWellFormed()

/** Whether a message may be published to this topic, as far as its spelling goes. */
export const isTopicName = (topic: string): boolean =>
  !FORBIDDEN_IN_NAMES.test(topic) && isString(topic)

/** Whether this is a well-formed topic filter: wildcards fill a whole level, `#` only the last. */
export const isTopicFilter = (filter: string): boolean => {
  if (FORBIDDEN_IN_STRINGS.test(filter) || !isString(filter)) return false
  const levels = filter.split('/')
  return levels.every(
    (level, index) =>
      level === '+' ||
      (level === '#' && index === levels.length - 1) ||
      !(level.includes('+') || level.includes('#')),
  )
}

export interface RequestedSubscription {
  /** The group of a shared subscription, else undefined. */
  group: string | undefined
  /** The filter that decides which messages are delivered. */
  filter: string
}

/** Reads what a SUBSCRIBE asks for, or undefined when it is malformed. */
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

const isWildcard = (level: string | undefined): boolean => level === '+' || level === '#'

/** Topics that begin with `$` are never matched by a leading wildcard (MQTT 5.0, section 4.7.2). */
const hidesFrom = (firstLevel: string | undefined, filter: readonly string[]): boolean =>
  firstLevel?.startsWith('$') === true && isWildcard(filter[0])

/** Walks the topic in place: this runs for every message and every rule. */
const levelsMatch = (filter: readonly string[], topic: string): boolean => {
  if (topic.startsWith('$') && isWildcard(filter[0])) return false
  let start = 0
  for (const level of filter) {
    if (level === '#') return true
    if (start > topic.length) return false
    const slash = topic.indexOf('/', start)
    const end = slash === -1 ? topic.length : slash
    const same = end - start === level.length && topic.startsWith(level, start)
    if (level !== '+' && !same) return false
    start = end + 1
  }
  return start > topic.length
}

/** Whether a message on this topic is delivered to this filter. Both must be well-formed. */
export const matches = (filter: string, topic: string): boolean =>
  levelsMatch(filter.split('/'), topic)

const levelsCover = (outer: readonly string[], inner: readonly string[]): boolean => {
  if (hidesFrom(inner[0], outer)) return false
  // Every topic has at least one level, so this is the one other spelling of "everything".
  if (outer.length === 2 && outer[0] === '+' && outer[1] === '#') return true
  for (const [index, level] of outer.entries()) {
    if (level === '#') return true
    const wanted = inner[index]
    if (wanted === undefined || wanted === '#') return false
    if (level !== '+' && level !== wanted) return false
  }
  return outer.length === inner.length
}

/** Whether `outer` matches every topic that `inner` matches. Both must be well-formed filters. */
export const covers = (outer: string, inner: string): boolean =>
  levelsCover(outer.split('/'), inner.split('/'))

const levelsIntersect = (left: readonly string[], right: readonly string[]): boolean => {
  if (hidesFrom(left[0], right) || hidesFrom(right[0], left)) return false
  const length = Math.max(left.length, right.length)
  for (let index = 0; index < length; index += 1) {
    const one = left[index]
    const other = right[index]
    if (one === '#' || other === '#') return true
    if (one === undefined || other === undefined) return false
    if (one !== other && one !== '+' && other !== '+') return false
  }
  return true
}

/** Whether some topic is matched by both filters. Both must be well-formed. */
export const intersects = (left: string, right: string): boolean =>
  levelsIntersect(left.split('/'), right.split('/'))

interface CompiledRule {
  allow: boolean
  /** The filter itself when it holds no wildcard: then a comparison of strings decides. */
  literal: string | undefined
  levels: readonly string[]
}

/** A grant's rules, split once so that deciding about a message allocates nothing. */
export interface CompiledRules {
  publish: readonly CompiledRule[]
  subscribe: readonly CompiledRule[]
}

/**
 * Prepares rules for the decisions below.
 * Throws when a rule's topic is not a well-formed filter: dropping a deny would widen a grant.
 */
export const compileRules = (rules: readonly TopicRule[]): CompiledRules => {
  const publish: CompiledRule[] = []
  const subscribe: CompiledRule[] = []
  for (const rule of rules) {
    if (!isTopicFilter(rule.topic)) throw new Error('A rule holds a malformed topic filter.')
    const compiled = {
      allow: rule.permission === 'allow',
      literal: isTopicName(rule.topic) ? rule.topic : undefined,
      levels: rule.topic.split('/'),
    }
    if (rule.action !== 'subscribe') publish.push(compiled)
    if (rule.action !== 'publish') subscribe.push(compiled)
  }
  return { publish, subscribe }
}

/** The first rule that matches decides; no rule denies; `$…` belongs to the broker. */
const decide = (rules: readonly CompiledRule[], topic: string): boolean => {
  if (topic.startsWith('$') || !isTopicName(topic)) return false
  for (const rule of rules) {
    const applies =
      rule.literal === undefined ? levelsMatch(rule.levels, topic) : rule.literal === topic
    if (applies) return rule.allow
  }
  return false
}

/** Whether these rules let a message be published to this topic. */
export const mayPublish = (rules: CompiledRules, topic: string): boolean =>
  decide(rules.publish, topic)

/** Whether these rules let a message on this topic be delivered. */
export const mayReceive = (rules: CompiledRules, topic: string): boolean =>
  decide(rules.subscribe, topic)

/**
 * Whether these rules let this filter be subscribed to. An allow must cover the whole filter, and
 * a deny before it must not touch the filter, so whatever is granted here passes `mayReceive` for
 * each of its topics. A shared subscription is judged by the filter behind its group.
 */
export const maySubscribe = (rules: CompiledRules, requested: string): boolean => {
  const subscription = readSubscription(requested)
  if (subscription === undefined || subscription.filter.startsWith('$')) return false
  const wanted = subscription.filter.split('/')
  for (const rule of rules.subscribe) {
    if (rule.allow && levelsCover(rule.levels, wanted)) return true
    if (!rule.allow && levelsIntersect(rule.levels, wanted)) return false
  }
  return false
}

/** The values that a rule's topic may name between braces. */
export interface TopicVariables {
  slug: string
  device_key: string
  device_id: string
}

const isVariable = (name: string): name is keyof TopicVariables =>
  name === 'slug' || name === 'device_key' || name === 'device_id'

/** A value must stay one literal level: no separator, no wildcard, nothing invisible. */
const isOneLevel = (value: string): boolean =>
  isTopicName(value) && !/[/\u0000-\u001F\u007F-\u009F\u2028\u2029\uFEFF]/.test(value)

/**
 * Fills `{slug}`, `{device_key}` and `{device_id}` into a rule's topic.
 * Throws on another variable, a stray brace, a value that isn't one literal level, and a result
 * that is malformed or begins with `$`.
 */
export const fillTopic = (template: string, variables: TopicVariables): string => {
  const filled = template.replaceAll(/\{([^{}]*)\}|[{}]/g, (_, name: string | undefined) => {
    if (name === undefined || !isVariable(name)) {
      throw new Error('A topic may name only {slug}, {device_key} and {device_id}.')
    }
    const value = variables[name]
    if (!isOneLevel(value)) throw new Error(`The value of {${name}} can't stand in a topic.`)
    return value
  })
  if (!isTopicFilter(filled) || filled.startsWith('$')) {
    throw new Error('The filled topic is malformed.')
  }
  return filled
}

const allow = (action: 'publish' | 'subscribe', suffix: string): TopicRule => ({
  action,
  topic: `{slug}/{device_key}/${suffix}`,
  permission: 'allow',
})

/** What a device may do unless its template or its own rules say otherwise. */
export const DEFAULT_DEVICE_RULES: readonly TopicRule[] = Object.freeze([
  ...[
    'telemetry',
    'state',
    'presence',
    'presence/',
    'events',
    'ack',
    'config/get',
    'config/status',
  ].map((suffix) => allow('publish', suffix)),
  ...['cmd', 'cmd/#', 'config/#'].map((suffix) => allow('subscribe', suffix)),
])
