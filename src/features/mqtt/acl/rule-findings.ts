/** The findings of rule analysis as shown to authors of rules. */
import type { TopicRule } from '../../../adapters/broker/port.ts'
import type { TopicVariables } from '../../../adapters/broker/topics.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { filledRules, type SourcedRule } from '../credentials/effective-rules.ts'
import type { RuleFinding } from '../../common/topic-rule.ts'
import { analyseRules, type Finding } from './rule-analysis.ts'

const isOwn = ({ source }: SourcedRule): boolean => source === 'device' || source === 'principal'

const referenceOf = ({ source, id, position }: SourcedRule): RuleFinding['rule'] => ({
  source,
  id: id === null ? null : formatId('acl', id),
  position,
})

const enumeration = new Intl.ListFormat('en')

/** Refers to rules of another list by the name of that list. */
function named(rules: readonly SourcedRule[], from: SourcedRule): string {
  const near = rules.filter(({ source }) => source === from.source)
  const far = rules.filter(({ source }) => source !== from.source)
  const list = (some: readonly SourcedRule[]): string =>
    `${some.length > 1 ? 'rules' : 'rule'} ${enumeration.format(some.map(({ position }) => `${position}`))}`
  return [
    ...(near.length > 0 ? [list(near)] : []),
    ...(far.length > 0 ? [`${far[0]?.source} ${list(far)}`] : []),
  ].join(' and ')
}

function messageOf({ kind, actions }: Finding, rule: SourcedRule, by: SourcedRule[]): string {
  const who = named(by, rule)
  const [does, decides] = by.length > 1 ? ['do', 'decide'] : ['does', 'decides']
  const isPart = rule.action === 'pubsub' && actions.length === 1
  const of = isPart ? ` about ${actions[0] === 'publish' ? 'publishing' : 'subscribing'}` : ''
  const texts = {
    unreachable: `It never decides${of}: before it ${who} ${does}, on all that it matches.`,
    shadowed: `It keeps no message away: before it ${who} ${decides} on all of its topics.`,
    redundant: `Without it ${who} would decide the same.`,
  }
  return by.length === 0 ? 'It denies topics that no later rule allows.' : texts[kind]
}

function show(rules: readonly SourcedRule[], findings: readonly Finding[]): RuleFinding[] {
  const at = (place: number): SourcedRule => rules[place] as SourcedRule
  return findings.map((finding) => {
    const { kind, actions } = finding
    const by = finding.by.map(at)
    const rule = at(finding.rule)
    const message = messageOf(finding, rule, by)
    return { kind, rule: referenceOf(rule), actions, by: by.map(referenceOf), message }
  })
}

/** Findings about own rules, which come first among all rules of a grant. */
export function findingsOfOwn(
  rules: readonly SourcedRule[],
  variables: TopicVariables,
): RuleFinding[] {
  const count = rules.filter(isOwn).length
  return count === 0 ? [] : show(rules, analyseRules(filledRules(rules, variables), count))
}

/** Findings about a template's rules, valid for nearly all its devices. */
export const findingsOfTemplate = (rules: readonly TopicRule[]): RuleFinding[] =>
  show(
    rules.map((rule, index) => ({ ...rule, source: 'template', id: null, position: index + 1 })),
    analyseRules(rules),
  )
