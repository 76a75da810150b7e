/**
 * A grant's rules in EMQX's words (5.8 to 6.x). EMQX compares the filter of a SUBSCRIBE with a rule
 * as if it were a topic, so there a `+` at a rule's end lets `#` pass, and a denied topic inside of
 * what a wildcard asks for goes unseen. What would be granted that way and is not granted here is
 * denied by name; where that can't be said, the allow is left out.
 */
import type { TopicRule } from '../port.ts'
import { compileRules, covers, intersects, isTopicName, maySubscribe } from '../topics.ts'

type Action = 'publish' | 'subscribe'

interface EmqxRule {
  permission: 'allow' | 'deny'
  action: Action | 'all'
  topic: string
}

/** More levels below a wildcard than this make too many filters to name. */
const NAMED_LEVELS = 5

/** Trees that mean something to EMQX; its own `#` reaches into them. */
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

/** Whether EMQX takes the topic as it stands: no `${…}`, and no `eq ` that it would cut off. */
const isPlain = (topic: string): boolean => !topic.startsWith('eq ') && !/\$\{|%[cu]/.test(topic)

/** A topic without wildcards is compared as it stands, whatever it holds. */
const spell = (topic: string): string | undefined => {
  if (topic.startsWith('eq ')) return undefined
  if (isTopicName(topic)) return `eq ${topic}`
  return isPlain(topic) ? topic : undefined
}

/** Every filter with a wildcard that touches a topic. */
function* touching(topic: string): Generator<string> {
  const levels = topic.split('/')
  let prefixes = [[] as string[]]
  for (const level of levels) {
    for (const prefix of prefixes) yield [...prefix, '#'].join('/')
    prefixes = prefixes.flatMap((prefix) => [
      [...prefix, level],
      [...prefix, '+'],
    ])
  }
  for (const prefix of prefixes) {
    yield prefix.join('/')
    yield [...prefix, '#'].join('/')
  }
}

/**
 * Filters that EMQX would grant by this rule against the ones denied before it; undefined where
 * they are too many to name.
 */
function wrongly(allowed: string, denied: readonly string[]): string[] | undefined {
  const levels = allowed.split('/')
  const gaps: string[] = []
  const last = levels.findIndex((level, index) => {
    const rest = levels.slice(index)
    return level === '+' && (rest.length === 1 || (rest.length === 2 && rest[1] === '#'))
  })
  if (last >= 0) {
    // In place of an earlier `+` any text could stand.
    if (levels.slice(0, last).includes('+')) return undefined
    gaps.push([...levels.slice(0, last), '#'].join('/'))
  }
  if (isTopicName(allowed)) return gaps
  for (const filter of denied.filter((each) => intersects(each, allowed))) {
    if (covers(filter, allowed)) continue
    if (!isTopicName(filter) || filter.split('/').length - last > 64) return undefined
    const fixed = levels.findIndex((level) => level === '+' || level === '#')
    if (filter.split('/').length - fixed > NAMED_LEVELS) return undefined
    for (const gap of touching(filter)) {
      if (gap !== filter && covers(allowed, gap)) gaps.push(gap)
    }
  }
  return gaps
}

export interface EmqxRules {
  rules: EmqxRule[]
  /** Allows that could not be said. */
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
    const topic = spell(rule.topic)
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

/** All of a grant, with a last rule that denies the rest: what follows in EMQX is never asked. */
export function emqxRulesOf(rules: readonly TopicRule[]): EmqxRules {
  const made: EmqxRules = { rules: [], leftOut: [] }
  translate(rules, 'publish', made)
  translate(rules, 'subscribe', made)
  made.rules.push({ permission: 'deny', action: 'all', topic: '#' })
  return made
}
