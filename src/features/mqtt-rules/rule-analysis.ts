/**
 * Which rules of a list do nothing, found by asking the very functions that decide.
 *
 * To know whether a rule ever decides, a few questions are enough: topics and filters of its own
 * that have a level which no rule names wherever it has a wildcard, of every depth that makes a
 * difference. Whatever other rule applies to such a topic applies to all of the rule's topics of
 * that depth; and a filter that names less, or more, is decided by an earlier rule all the sooner.
 */
import type { TopicRule } from '../../broker/port.ts'
import {
  type CompiledRules,
  compileRules,
  covers,
  decidingRule,
  intersects,
} from '../../broker/topics.ts'

type Action = 'publish' | 'subscribe'

const ACTIONS: readonly Action[] = ['publish', 'subscribe']

export interface Finding {
  kind: 'unreachable' | 'shadowed' | 'redundant'
  /** Place in the list, from 0; so in `by`. */
  rule: number
  actions: Action[]
  /** The rules because of which; empty if it denies what is denied anyway. */
  by: number[]
}

interface Rule extends TopicRule {
  index: number
}

interface List {
  action: Action
  /** Those of the action. */
  rules: readonly Rule[]
  compiled: CompiledRules
  denying: CompiledRules
  /** A level that no rule names. */
  fresh: string
  /** Levels of the longest filter. */
  depth: number
}

const isAbout = (rule: TopicRule, action: Action): boolean =>
  rule.action === action || rule.action === 'pubsub'

const actionsOf = (rule: TopicRule): Action[] => ACTIONS.filter((action) => isAbout(rule, action))

const inOrder = (places: Iterable<number>): number[] =>
  [...new Set(places)].sort((one, other) => one - other)

function listOf(all: readonly Rule[], action: Action): List {
  const rules = all.filter((rule) => isAbout(rule, action))
  const levels = new Set(all.flatMap(({ topic }) => topic.split('/')))
  let fresh = 'z'
  while (levels.has(fresh)) fresh += 'z'
  return {
    action,
    rules,
    compiled: compileRules(rules),
    denying: compileRules(rules.filter(({ permission }) => permission === 'deny')),
    fresh,
    depth: Math.max(0, ...rules.map(({ topic }) => topic.split('/').length)),
  }
}

interface Probes {
  topics: string[]
  /** Filters that end with `#`. */
  filters: string[]
}

function probesOf({ topic }: Rule, { fresh, depth }: List): Probes {
  const levels = topic.split('/').map((level) => (level === '+' ? fresh : level))
  if (levels.at(-1) !== '#') return { topics: [levels.join('/')], filters: [] }
  const begin = levels.slice(0, -1)
  const tails = Array.from({ length: Math.max(1, depth + 2 - begin.length) }, (_, more) =>
    [...begin, ...Array.from({ length: more }, () => fresh)].join('/'),
  )
  return { topics: tails, filters: tails.map((tail) => `${tail}/#`) }
}

/** The places of those who decide, or undefined if the rule itself, or nobody, does somewhere. */
function decidersBefore(
  { index }: Rule,
  rules: CompiledRules,
  action: 'publish' | 'subscribe' | 'receive',
  probes: readonly string[],
): number[] | undefined {
  const found = new Set<number>()
  for (const probe of probes) {
    const decider = decidingRule(rules, action, probe) as Rule | undefined
    if (decider === undefined || decider.index >= index) return undefined
    found.add(decider.index)
  }
  return inOrder(found)
}

type Found = Pick<Finding, 'kind' | 'by'>

/** One earlier rule that covers it is a better answer than several that do so together. */
function because(rule: Rule, { rules }: List, by: number[], onlyDenying: boolean): number[] {
  const one = rules.find(
    ({ index, topic, permission }) =>
      index < rule.index && (!onlyDenying || permission === 'deny') && covers(topic, rule.topic),
  )
  return one === undefined ? by : [one.index]
}

/** Whether a rule never decides, or, of a deny, never about a topic. */
function overtaken(rule: Rule, list: List): Found | undefined {
  const { topics, filters } = probesOf(rule, list)
  const isPublish = list.action === 'publish'
  const byTopic = decidersBefore(rule, list.compiled, isPublish ? 'publish' : 'receive', topics)
  if (byTopic === undefined) return undefined
  if (isPublish) return { kind: 'unreachable', by: because(rule, list, byTopic, false) }
  if (rule.permission === 'allow') {
    const byFilter = decidersBefore(rule, list.compiled, 'subscribe', filters)
    if (byFilter === undefined) return undefined
    const by = inOrder([...byTopic, ...byFilter])
    return { kind: 'unreachable', by: because(rule, list, by, false) }
  }
  // A filter that shares a topic with it is refused before only if a deny has that topic too.
  const byDeny = decidersBefore(rule, list.denying, 'receive', topics)
  return byDeny === undefined
    ? { kind: 'shadowed', by: because(rule, list, byTopic, false) }
    : { kind: 'unreachable', by: because(rule, list, byDeny, true) }
}

/**
 * The later rules that decide as this one does wherever it decides, or undefined.
 * @param kept those that can't be taken away already
 */
function repeated(rule: Rule, action: Action, kept: readonly Rule[]): number[] | undefined {
  for (const later of kept) {
    if (later.index <= rule.index || !isAbout(later, action)) continue
    if (later.permission === rule.permission) {
      if (covers(later.topic, rule.topic)) return [later.index]
    } else if (intersects(later.topic, rule.topic)) return undefined
  }
  return rule.permission === 'deny' ? [] : undefined
}

/** What holds for one action each, as one finding where it is the same. */
function joined(rule: number, found: readonly (readonly [Action, Found])[]): Finding[] {
  const [one, other] = found
  if (one !== undefined && JSON.stringify(one[1]) === JSON.stringify(other?.[1])) {
    return [{ ...one[1], rule, actions: [...ACTIONS] }]
  }
  return found.map(([action, is]) => ({ ...is, rule, actions: [action] }))
}

/**
 * The rules that do nothing, or not what they may be meant to. All that are redundant, or
 * unreachable for whatever they are about, can be taken away together: nothing is decided
 * differently.
 * @param list topics are well-formed filters; a variable is a level that differs from all others
 * @param count only so many, from the first on, are looked at; the others can't be taken away
 */
export function analyseRules(list: readonly TopicRule[], count = list.length): Finding[] {
  const rules = list.map((rule, index) => ({ ...rule, index }))
  const lists = ACTIONS.map((action) => listOf(rules, action))
  const found = rules.slice(0, count).map((rule) =>
    lists.flatMap((one) => {
      const is = isAbout(rule, one.action) ? overtaken(rule, one) : undefined
      return is === undefined ? [] : [[one.action, is] as const]
    }),
  )
  const kept = rules.filter((rule) => {
    const idle = found[rule.index]?.filter(([, { kind }]) => kind === 'unreachable') ?? []
    return idle.length < actionsOf(rule).length
  })
  for (const rule of kept.filter(({ index }) => index < count)) {
    if (found[rule.index]?.some(([, { kind }]) => kind === 'shadowed')) continue
    const by = actionsOf(rule).map((action) => repeated(rule, action, kept))
    if (by.includes(undefined)) continue
    const is: Found = { kind: 'redundant', by: inOrder(by.flatMap((places) => places ?? [])) }
    found[rule.index] = actionsOf(rule).map((action) => [action, is] as const)
  }
  return found.flatMap((each, index) => joined(index, each))
}
