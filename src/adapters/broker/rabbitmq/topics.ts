/**
 * Topics as RabbitMQ passes them: routing keys with `.` for `/` and `*` for `+`. It cannot
 * distinguish a dot or asterisk inside a level from a separator or wildcard, so rules are
 * normalized to what RabbitMQ can distinguish, and anything else is denied.
 */
import type { TopicRule } from '../port.ts'
import { type CompiledRules, compileRules } from '../topics.ts'

/** The topic or filter of a routing key. */
export const fromRoutingKey = (key: string): string => key.replaceAll('.', '/').replaceAll('*', '+')

/**
 * Denies everything that RabbitMQ confuses with the filter; a level with an asterisk matches any.
 */
function widened(topic: string): string {
  const levels = topic.replaceAll('.', '/').split('/')
  return levels.map((level) => (level.includes('*') ? '+' : level)).join('/')
}

function* translated(rules: readonly TopicRule[]): Generator<TopicRule> {
  for (const rule of rules) {
    if (!/[.*]/.test(rule.topic)) yield rule
    // An allow would also cover other topics, possibly of other principals.
    else if (rule.permission === 'deny') yield { ...rule, topic: widened(rule.topic) }
  }
}

const known = new WeakMap<readonly TopicRule[], CompiledRules>()

export function rulesForRoutingKeys(rules: readonly TopicRule[]): CompiledRules {
  const made = known.get(rules) ?? compileRules([...translated(rules)])
  known.set(rules, made)
  return made
}
