/**
 * The topics that a change of rules takes from a client, and those it adds. Variables that are not
 * substituted are treated as levels that differ from each other and from all literals, as they do
 * for nearly every device.
 *
 * The decision on a topic depends only on the set of rules that match it, and topics matched by the
 * same rules share a pattern: the intersection of those rules' filters. So it suffices to evaluate
 * each filter and each intersection.
 */
import type { TopicRule } from '../../../adapters/broker/port.ts'
import { compileRules, isAbout, maySubscribe } from '../../../adapters/broker/topics.ts'
import { levelsCover } from '../../../platform/lib/topic-levels.ts'
import type { TopicAccess, TopicEffect } from '../../common/topic-rule.ts'

type Action = TopicAccess['action']
/** Topic filters, split into levels once: each is compared with hundreds of others. */
type Patterns = ReadonlyMap<string, readonly string[]>

/** Limit of patterns: filters with many `+` can have more intersections. */
const MAX_PATTERNS = 1_000

/** The pattern of topics that both filters match; undefined if there are none. */
function commonPattern(left: readonly string[], right: readonly string[]): string[] | undefined {
  const levels: string[] = []
  for (let index = 0; ; index += 1) {
    const one = left[index]
    const other = right[index]
    // `#` also matches zero levels (MQTT 5.0, section 4.7.1.2).
    if (one === '#') return [...levels, ...right.slice(index)]
    if (other === '#') return [...levels, ...left.slice(index)]
    if (one === undefined || other === undefined) return one === other ? levels : undefined
    if (one !== other && one !== '+' && other !== '+') return undefined
    levels.push(one === '+' ? other : one)
  }
}

/** The filters and all their intersections, up to the limit. */
function patternsOf(filters: ReadonlySet<string>): { patterns: Patterns; isComplete: boolean } {
  const split = [...filters].map((filter) => filter.split('/'))
  const patterns = new Map<string, readonly string[]>(
    split.map((levels) => [levels.join('/'), levels]),
  )
  const open = [...split]
  for (const pattern of open) {
    for (const filter of split) {
      const common = commonPattern(pattern, filter)
      if (common === undefined) continue
      const text = common.join('/')
      if (patterns.has(text)) continue
      if (patterns.size >= MAX_PATTERNS) return { patterns, isComplete: false }
      patterns.set(text, common)
      open.push(common)
    }
  }
  return { patterns, isComplete: true }
}

interface Rights {
  /** Whether a pattern's topics are allowed, except those of narrower patterns. */
  holds(levels: readonly string[]): boolean
  /** Whether the whole pattern may be subscribed to. */
  holdsWhole(pattern: string): boolean
}

function rightsOf(rules: readonly TopicRule[], action: Action): Rights {
  const compiled = compileRules(rules)
  const split = rules.map(({ topic, permission }) => ({ outer: topic.split('/'), permission }))
  return {
    holds: (levels) =>
      split.find(({ outer }) => levelsCover(outer, levels))?.permission === 'allow',
    holdsWhole: (pattern) => action === 'subscribe' && maySubscribe(compiled, pattern),
  }
}

/** Patterns held by `wide` but not by `narrow`; of nested ones only the widest. */
function missing(
  patterns: Patterns,
  named: ReadonlySet<string>,
  wide: Rights,
  narrow: Rights,
): string[] {
  const all = [...patterns]
  const topics = all.filter(([, levels]) => wide.holds(levels) && !narrow.holds(levels))
  const wholes = all.filter(([text]) => wide.holdsWhole(text) && !narrow.holdsWhole(text))
  const widest = (found: typeof all): string[] =>
    found
      .filter(
        ([text, levels]) =>
          named.has(text) ||
          !found.some(([other, outer]) => other !== text && levelsCover(outer, levels)),
      )
      .map(([text]) => text)
  return [...new Set([...widest(topics), ...widest(wholes)])].sort()
}

/** The rights that a change of all rules of a client grants, and those it takes away. */
export function topicEffect(
  before: readonly TopicRule[],
  after: readonly TopicRule[],
): TopicEffect {
  const effect: TopicEffect = { gained: [], lost: [], is_complete: true }
  if (JSON.stringify(before) === JSON.stringify(after)) return effect
  for (const action of ['publish', 'subscribe'] as const) {
    const old = before.filter((rule) => isAbout(rule, action))
    const now = after.filter((rule) => isAbout(rule, action))
    const named = new Set([...old, ...now].map(({ topic }) => topic))
    const { patterns, isComplete } = patternsOf(named)
    const [had, has] = [rightsOf(old, action), rightsOf(now, action)]
    const entry = (topic: string): TopicAccess => ({ action, topic })
    effect.lost.push(...missing(patterns, named, had, has).map(entry))
    effect.gained.push(...missing(patterns, named, has, had).map(entry))
    if (!isComplete) effect.is_complete = false
  }
  return effect
}
