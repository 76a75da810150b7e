/**
 * Which rules a grant is made of, and where each of them stands: own rules come first, then those
 * of the device's template, or the default ones where it has none.
 */
import type { TopicRule } from '../../../adapters/broker/port.ts'
import {
  DEFAULT_DEVICE_RULES,
  fillTopic,
  type TopicVariables,
} from '../../../adapters/broker/topics.ts'

/** A rule of a device's or a principal's own, as it is stored. */
export interface OwnRule extends TopicRule {
  /** UUID. */
  id: string
  /** RFC 3339. */
  created_at: string
  updated_at: string
}

/** A rule as it was written, and its place. */
export interface SourcedRule extends TopicRule {
  source: 'device' | 'principal' | 'template' | 'default'
  /** UUID of an own rule; null for others. */
  id: string | null
  /** In the list of its source, from 1. */
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

/** @param template its `mqtt_acl`; empty is as good as none. */
export function rulesOfDevice(
  own: readonly OwnRule[] | null,
  template: readonly TopicRule[] | null,
): SourcedRule[] {
  const hasTemplate = template !== null && template.length > 0
  return [
    ...sourced('device', own ?? []),
    ...(hasTemplate ? sourced('template', template) : sourced('default', DEFAULT_DEVICE_RULES)),
  ]
}

/** A principal may do nothing but what its own rules say. */
export const rulesOfPrincipal = (own: readonly OwnRule[] | null): SourcedRule[] =>
  sourced('principal', own ?? [])

/** The rules as a grant has them, in the same order. */
export const filledRules = (
  rules: readonly SourcedRule[],
  variables: TopicVariables,
): TopicRule[] =>
  rules.map(({ action, topic, permission }) => ({
    action,
    topic: fillTopic(topic, variables),
    permission,
  }))
