/**
 * The rules of a grant and the origin of each: own rules come first, then those of the device's
 * template, or the default rules if it has none.
 */
import type { TopicRule } from '../../../adapters/broker/port.ts'
import {
  DEFAULT_DEVICE_RULES,
  topicFiller,
  type TopicVariables,
} from '../../../adapters/broker/topics.ts'

/** A rule before substitution, and its origin. */
export interface SourcedRule extends TopicRule {
  source: 'device' | 'principal' | 'template' | 'default'
  /** UUID of an own rule that is stored; null for others. */
  id: string | null
  /** Position in the list of its source, from 1. */
  position: number
}

const sourced = (
  source: SourcedRule['source'],
  rules: readonly (TopicRule & { id?: string })[],
): SourcedRule[] =>
  rules.map(({ action, topic, permission, id }, index) => ({
    action,
    topic,
    permission,
    source,
    id: id ?? null,
    position: index + 1,
  }))

const DEFAULT_RULES: readonly SourcedRule[] = sourced('default', DEFAULT_DEVICE_RULES)

/** @param template its `mqtt_acl`; an empty list counts as none */
export function rulesOfDevice(
  own: readonly (TopicRule & { id?: string })[] | null,
  template: readonly TopicRule[] | null,
): readonly SourcedRule[] {
  const hasTemplate = template !== null && template.length > 0
  const rest = hasTemplate ? sourced('template', template) : DEFAULT_RULES
  return own === null || own.length === 0 ? rest : [...sourced('device', own), ...rest]
}

/** A principal has only its own rules. */
export const rulesOfPrincipal = (
  own: readonly (TopicRule & { id?: string })[] | null,
): SourcedRule[] => sourced('principal', own ?? [])

/** The rules with all variables substituted, in the same order. */
export const filledRules = (
  rules: readonly SourcedRule[],
  variables: TopicVariables,
): TopicRule[] => {
  const fill = topicFiller(variables)
  return rules.map(({ action, topic, permission }) => ({ action, topic: fill(topic), permission }))
}
