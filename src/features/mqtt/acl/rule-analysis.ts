/**
 * Finds rules without effect, by probing the functions that decide.
 *
 * A few probes suffice to find out whether a rule ever decides: its own topics and filters, with a
 * level that no rule names in place of each wildcard, at every relevant depth. Any other rule that
 * matches such a topic matches all of the rule's topics of that depth; and a narrower or wider
 * filter is decided by an earlier rule at the latest.
 */
import type { TopicRule } from '../../../adapters/broker/port.ts'
import {
  type CompiledRules,
  compileRules,
  decidingRule,
  isAbout,
  type TopicAction,
} from '../../../adapters/broker/topics.ts'
import { levelsCover, levelsIntersect } from '../../../platform/lib/topic-levels.ts'

type Action = 'publish' | 'subscribe'

const ACTIONS: readonly Action[] = ['publish', 'subscribe']

export interface Finding {
  kind: 'unreachable' | 'shadowed' | 'redundant'
  /** Index in the list; likewise in `by`. */
  rule: number
  actions: Action[]
  /** The rules responsible; empty if it denies what is denied anyway. */
  by: number[]
}

interface Rule extends TopicRule {
  index: number
  levels: readonly string[]
}

/** Probes per analysis: long lists must not block the process. */
const MAX_PROBES = 400

interface List {
  action: Action
  /** Rules of the action. */
  rules: readonly Rule[]
  compiled: CompiledRules
  denying: CompiledRules
  /** A level that no rule names. */
  fresh: string
  /** Levels of the longest filter. */
  depth: number
  /** Remaining probes. */
  budget: { left: number }
}

const actionsOf = (rule: TopicRule): Action[] => ACTIONS.filter((action) => isAbout(rule, action))

const inOrder = (places: Iterable<number>): number[] =>
  [...new Set(places)].sort((one, other) => one - other)

function listOf(all: readonly Rule[], action: Action): List {
  const rules = all.filter((rule) => isAbout(rule, action))
  const named = new Set(all.flatMap(({ levels }) => levels))
  let fresh = 'z'
  while (named.has(fresh)) fresh += 'z'
  return {
    action,
    rules,
    compiled: compileRules(rules),
    denying: compileRules(rules.filter(({ permission }) => permission === 'deny')),
    fresh,
    depth: Math.max(0, ...rules.map(({ levels }) => levels.length)),
    budget: { left: MAX_PROBES },
  }
}

/** Probe topics of a rule ending with `#`: the deepest first, then from the shallowest. */
function* probesOf({ levels }: Rule, { fresh, depth }: List): Generator<string> {
  const begin = levels.slice(0, -1).map((level) => (level === '+' ? fresh : level))
  const more = Math.max(0, depth + 1 - begin.length)
  yield [...begin, ...Array.from({ length: more }, () => fresh)].join('/')
  let topic = begin.join('/')
  for (let added = 0; added < more; added += 1) {
    yield topic
    topic += `/${fresh}`
  }
}

function* filtersOf(rule: Rule, list: List): Generator<string> {
  for (const topic of probesOf(rule, list)) yield `${topic}/#`
}

/** The indexes of the deciding rules; undefined if the rule itself, or none, decides somewhere. */
function decidersBefore(
  { index }: Rule,
  { budget }: List,
  rules: CompiledRules,
  action: TopicAction,
  probes: Iterable<string>,
): number[] | undefined {
  const found: number[] = []
  for (const probe of probes) {
    budget.left -= 1
    if (budget.left < 0) return undefined
    const decider = decidingRule(rules, action, probe) as Rule | undefined
    if (decider === undefined || decider.index >= index) return undefined
    found.push(decider.index)
  }
  return found
}

const before = ({ index, levels }: Rule, rules: readonly Rule[]): Rule | undefined =>
  rules.find((other) => other.index < index && levelsCover(other.levels, levels))

type Found = Pick<Finding, 'kind' | 'by'>

/**
 * Whether several earlier rules together shadow the rule, which then ends with `#`; otherwise a
 * single one would.
 */
function overtakenBySeveral(rule: Rule, list: List): Found | undefined {
  const ask = (rules: CompiledRules, action: TopicAction) => {
    const probes = action === 'subscribe' ? filtersOf(rule, list) : probesOf(rule, list)
    return decidersBefore(rule, list, rules, action, probes)
  }
  const isPublish = list.action === 'publish'
  const byTopic = ask(list.compiled, isPublish ? 'publish' : 'receive')
  if (byTopic === undefined) return undefined
  if (!isPublish && rule.permission === 'deny') {
    // A filter overlapping it is refused earlier only if a deny contains the topic too.
    const byDeny = ask(list.denying, 'receive')
    return { kind: byDeny ? 'unreachable' : 'shadowed', by: inOrder(byDeny ?? byTopic) }
  }
  const byFilter = isPublish ? [] : ask(list.compiled, 'subscribe')
  return byFilter && { kind: 'unreachable', by: inOrder([...byTopic, ...byFilter]) }
}

/** Whether a rule never decides, or for a deny, never about a topic. */
function overtaken(rule: Rule, list: List): Found | undefined {
  const keepsFilters = list.action === 'subscribe' && rule.permission === 'deny'
  const denies = list.rules.filter(({ permission }) => permission === 'deny')
  const whole = before(rule, keepsFilters ? denies : list.rules)
  if (whole !== undefined) return { kind: 'unreachable', by: [whole.index] }
  const several = rule.levels.at(-1) === '#' ? overtakenBySeveral(rule, list) : undefined
  if (several?.kind === 'unreachable' || !keepsFilters) return several
  const one = before(rule, list.rules)
  return one === undefined ? several : { kind: 'shadowed', by: [one.index] }
}

/**
 * Later rules that give the same decision wherever this one decides, or undefined.
 * @param kept those that cannot be removed already
 */
function repeated(rule: Rule, action: Action, kept: readonly Rule[]): number[] | undefined {
  for (const later of kept) {
    if (later.index <= rule.index || !isAbout(later, action)) continue
    if (later.permission === rule.permission) {
      if (levelsCover(later.levels, rule.levels)) return [later.index]
    } else if (levelsIntersect(later.levels, rule.levels)) return undefined
  }
  return rule.permission === 'deny' ? [] : undefined
}

/** Merges the findings for both actions if they are equal. */
function joined(rule: number, found: readonly (readonly [Action, Found])[]): Finding[] {
  const [one, other] = found
  if (one !== undefined && JSON.stringify(one[1]) === JSON.stringify(other?.[1])) {
    return [{ ...one[1], rule, actions: [...ACTIONS] }]
  }
  return found.map(([action, is]) => ({ ...is, rule, actions: [action] }))
}

/**
 * The rules without effect, or without the effect that may be intended. All rules reported as
 * redundant or fully unreachable can be removed together without changing any decision.
 * @param list topics are well-formed filters; a variable is a level that differs from all others
 * @param count only this many rules from the start are analysed; the others cannot be removed
 */
export function analyseRules(list: readonly TopicRule[], count = list.length): Finding[] {
  const rules = list.map((rule, index) => ({ ...rule, index, levels: rule.topic.split('/') }))
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
