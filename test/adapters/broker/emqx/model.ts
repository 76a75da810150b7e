/**
 * How EMQX reads responses of its HTTP authenticator, in our own words, after its sources:
 * emqx_authn_http.erl, emqx_authz_rule_raw.erl, emqx_authz_rule.erl and emqx_topic.erl as of 5.8
 * and 6.x. Whatever is not a clear yes or no is `ignore`: EMQX asks its next authenticator.
 */
import assert from 'node:assert/strict'
import type { HookResponse } from '../hooks/contract.ts'

export interface EmqxRule {
  permission: string
  action: string
  topic: string
}

export interface EmqxResponse {
  result: string
  is_superuser?: boolean
  client_attrs?: Record<string, string>
  clientid_override?: string
  expire_at?: number
  acl?: EmqxRule[]
}

export function outcome({ status, type, text }: HookResponse): 'allow' | 'deny' | 'ignore' {
  if (status === 204) return 'allow'
  if (status !== 200 || !type.startsWith('application/json')) return 'ignore'
  const { result } = JSON.parse(text) as EmqxResponse
  return result === 'allow' || result === 'deny' ? result : 'ignore'
}

/** The requests that EMQX refuses by itself, before any rule is checked. */
export function isWellFormed(action: 'publish' | 'subscribe', topic: string): boolean {
  if (topic === '' || topic.includes('\u0000')) return false
  if (action === 'publish') return !/[+#]/.test(topic)
  const levels = topic.split('/')
  return levels.every(
    (level, at) =>
      !/[+#]/.test(level) || level === '+' || (level === '#' && at === levels.length - 1),
  )
}

/** A level of what is asked against one of the rule: a `+` of the rule takes anything, also `#`. */
function levelsMatch(asked: readonly string[], rule: readonly string[]): boolean {
  if (rule.length === 1 && rule[0] === '#') return true
  if (asked.length === 0 || rule.length === 0) return asked.length === rule.length
  if (asked[0] !== rule[0] && rule[0] !== '+') return false
  return levelsMatch(asked.slice(1), rule.slice(1))
}

/** A first `eq ` means the text behind it and nothing else; a second one is an error there. */
function topicMatches(asked: string, rule: string): boolean {
  if (rule.startsWith('eq ')) {
    const literal = rule.slice(3)
    assert.equal(literal.startsWith('eq '), false, 'EMQX fails on this rule')
    return asked === literal
  }
  assert.equal(rule.includes('${'), false, 'EMQX would fill in a variable')
  return levelsMatch(asked.split('/'), rule.split('/'))
}

/** @returns undefined when no rule matches: then EMQX continues with the next source. */
export function decideByRules(
  rules: readonly EmqxRule[],
  action: 'publish' | 'subscribe',
  topic: string,
): boolean | undefined {
  const found = rules.find(
    (rule) => (rule.action === 'all' || rule.action === action) && topicMatches(topic, rule.topic),
  )
  return found && found.permission === 'allow'
}
