/**
 * Topics as RabbitMQ asks for them: as routing keys, with `.` for `/` and `*` for `+`. There a
 * topic with a dot or an asterisk inside of a level is the same as one without, so rules are
 * brought into the form in which RabbitMQ tells topics apart: what it can't is denied.
 */
import type { TopicRule } from '../port.ts'
import { type CompiledRules, compileRules } from '../topics.ts'

/** The topic or filter that a routing key stands for. */
export const fromRoutingKey = (key: string): string => key.replaceAll('.', '/').replaceAll('*', '+')

/** Denies all that RabbitMQ takes for the filter; a level with an asterisk in it may be any. */
function widened(topic: string): string {
  const levels = topic.replaceAll('.', '/').split('/')
  return levels.map((level) => (level.includes('*') ? '+' : level)).join('/')
}

function* translated(rules: readonly TopicRule[]): Generator<TopicRule> {
  for (const rule of rules) {
    if (!/[.*]/.test(rule.topic)) yield rule
    // An allow would be one for other topics as well, which somebody else may own.
    else if (rule.permission === 'deny') yield { ...rule, topic: widened(rule.topic) }
  }
}

const known = new WeakMap<readonly TopicRule[], CompiledRules>()

export function rulesForRoutingKeys(rules: readonly TopicRule[]): CompiledRules {
  const made = known.get(rules) ?? compileRules([...translated(rules)])
  known.set(rules, made)
  return made
}
