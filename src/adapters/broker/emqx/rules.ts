/**
 * Translates a grant's rules for EMQX (5.8 to 6.x). EMQX matches the filter of a SUBSCRIBE against
 * a rule as if it were a topic: a trailing `+` in a rule lets `#` pass, and a denied topic inside a
 * requested wildcard goes unnoticed. Filters that would wrongly be granted are denied by name;
 * where that is impossible, the allow is omitted.
 */
import type { TopicRule } from '../port.ts'
import { compileRules, covers, intersects, isTopicName, maySubscribe } from '../topics.ts'

type Action = 'publish' | 'subscribe'

interface EmqxRule {
  permission: 'allow' | 'deny'
  action: Action | 'all'
  topic: string
}

/** Beyond this many levels below a wildcard there are too many filters to name. */
const NAMED_LEVELS = 5

/** Topic trees with a special meaning to EMQX, which its `#` includes. */
const RESERVED = [
  '$SYS',
  '$CONTROL',
  '$queue',
  '$share',
  '$exclusive',
  '$delayed',
  '$file',
  '$events',
]

/** Whether EMQX takes the topic literally: no `${…}`, and no `eq ` prefix to strip. */
const isPlain = (topic: string): boolean => !topic.startsWith('eq ') && !/\$\{|%[cu]/.test(topic)

/** A topic without wildcards is compared literally. */
const encode = (topic: string): string | undefined => {
  if (topic.startsWith('eq ')) return undefined
  if (isTopicName(topic)) return `eq ${topic}`
  return isPlain(topic) ? topic : undefined
}

/** All filters that start with these levels, continue with a wildcard, and overlap the topic. */
function* touching(first: readonly string[], rest: readonly string[]): Generator<string> {
  let prefixes = [[...first]]
  for (const level of rest) {
    for (const prefix of prefixes) yield [...prefix, '#'].join('/')
    prefixes = prefixes.flatMap((prefix) => [
      [...prefix, level],
      [...prefix, '+'],
    ])
  }
  for (const prefix of prefixes) {
    if (prefix.includes('+')) yield prefix.join('/')
    yield [...prefix, '#'].join('/')
  }
}

/** The last `+` after which a filter may end: EMQX lets a `#` pass there. */
function lastPlus(levels: readonly string[]): number {
  const end = levels.at(-1) === '#' ? levels.length - 2 : levels.length - 1
  return levels[end] === '+' ? end : -1
}

/**
 * Filters that EMQX would wrongly grant for this allow, given earlier denies and its `+`; undefined
 * if there are too many.
 */
function wrongly(allowed: string, denied: readonly string[]): string[] | undefined {
  if (isTopicName(allowed)) return []
  const levels = allowed.split('/')
  const fixed = levels.findIndex((level) => level === '+' || level === '#')
  const gaps: string[] = []
  const last = lastPlus(levels)
  // Any text could replace an earlier `+`.
  if (last > fixed) return undefined
  if (last >= 0) gaps.push([...levels.slice(0, last), '#'].join('/'))
  for (const topic of denied.filter((each) => intersects(each, allowed))) {
    if (covers(topic, allowed)) continue
    const rest = topic.split('/').slice(fixed)
    if (!isTopicName(topic) || rest.length > NAMED_LEVELS) return undefined
    for (const gap of touching(levels.slice(0, fixed), rest)) {
      if (covers(allowed, gap)) gaps.push(gap)
    }
  }
  return gaps
}

export interface EmqxRules {
  rules: EmqxRule[]
  /** Allows that could not be expressed. */
  leftOut: TopicRule[]
}

const reservedTrees = (action: Action): EmqxRule[] =>
  RESERVED.map((tree) => ({ permission: 'deny', action, topic: `${tree}/#` }))

function translate(all: readonly TopicRule[], action: Action, into: EmqxRules): void {
  const compiled = compileRules(all)
  const denied: string[] = []
  const unsaid: string[] = []
  const said = new Set<string>()
  for (const rule of all) {
    if (rule.action !== action && rule.action !== 'pubsub') continue
    const topic = encode(rule.topic)
    if (rule.permission === 'deny') {
      denied.push(rule.topic)
      if (topic === undefined) unsaid.push(rule.topic)
      else into.rules.push({ permission: 'deny', action, topic })
      continue
    }
    const isHidden = unsaid.some((each) => intersects(each, rule.topic))
    const gaps = action === 'publish' ? [] : wrongly(rule.topic, denied)
    if (topic === undefined || isHidden || gaps === undefined || !gaps.every(isPlain)) {
      into.leftOut.push(rule)
      continue
    }
    for (const gap of gaps) {
      if (said.has(gap) || maySubscribe(compiled, gap)) continue
      said.add(gap)
      into.rules.push({ permission: 'deny', action, topic: `eq ${gap}` })
    }
    if (/^[+#]/.test(rule.topic)) into.rules.push(...reservedTrees(action))
    into.rules.push({ permission: 'allow', action, topic })
  }
}

/**
 * All rules of a grant, ending with one that denies everything else, so that EMQX never consults
 * its next source.
 */
export function emqxRulesOf(rules: readonly TopicRule[]): EmqxRules {
  const made: EmqxRules = { rules: [], leftOut: [] }
  translate(rules, 'publish', made)
  translate(rules, 'subscribe', made)
  made.rules.push({ permission: 'deny', action: 'all', topic: '#' })
  return made
}
