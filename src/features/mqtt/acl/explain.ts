/**
 * Explains what a client may do and by which rule: the broker's own decision, made by the same
 * functions from the same data.
 */
import type { ConnectRefusal } from '../../../adapters/broker/port.ts'
import {
  compileRules,
  decidingRule,
  isTopicName,
  readSubscription,
  type TopicAction,
} from '../../../adapters/broker/topics.ts'
import type { Context } from '../../../context.ts'
import { invalid } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { CredentialAuthority } from '../credentials/authority.ts'
import {
  credentialReads,
  newestGeneration,
  readSourced,
  type SourcedCredential,
} from '../credentials/credential.ts'
import { type Identity, isLasting, readIdentity } from '../credentials/identity.ts'
import type { TemplateTopicRule } from '../../common/topic-rule.ts'
import { topicRuleError } from './rule-check.ts'
import type { Explain, Explanation } from './schema.ts'
import { findRules } from './store.ts'

/** Additional services of the operation that explains. */
export interface ExplainServices {
  /** Decides the CONNECTs. */
  mqttAuthority: Pick<CredentialAuthority, 'refusalOf'>
}

/** Why rules do not apply; undefined if they decide about the topic. */
function formatProblem(action: TopicAction, topic: string): Explanation['reason'] | undefined {
  const name = isTopicName(topic) ? topic : undefined
  const asked = action === 'subscribe' ? readSubscription(topic)?.filter : name
  if (asked === undefined) return 'malformed_topic'
  return asked.startsWith('$') ? 'reserved_topic' : undefined
}

function ruleFor(
  { credential, sources, template }: SourcedCredential,
  action: TopicAction,
  topic: string,
): Explanation['rule'] {
  const { rules } = credential
  const decider = decidingRule(compileRules(rules), action, topic)
  const source = decider && sources[rules.indexOf(decider)]
  if (decider === undefined || source === undefined) return null
  const from = source.source === 'template' ? template : null
  return {
    source: source.source,
    id: source.id === null ? null : formatId('acl', source.id),
    template_id: from && formatId('tpl', from.id),
    template_version: from && from.version,
    position: source.position,
    action: source.action,
    topic: source.topic,
    resolved_topic: decider.topic,
    permission: source.permission,
  }
}

function explained(
  sourced: SourcedCredential,
  { action, topic }: Explain,
  refusal: ConnectRefusal | undefined,
): Explanation {
  const isAdmitted = refusal === undefined
  const rule = ruleFor(sourced, action, topic)
  const decided = rule === null ? 'no_rule' : 'rule'
  return {
    allowed: isAdmitted && rule?.permission === 'allow',
    reason: isAdmitted ? (formatProblem(action, topic) ?? decided) : 'client_refused',
    rule,
    would_connect: { allowed: isAdmitted, reason: refusal?.detail ?? null },
  }
}

/** @throws Failure invalid_request */
function requireSimulable(
  kind: Identity['kind'] | undefined,
  rules: readonly TemplateTopicRule[],
): void {
  if (kind !== 'device') {
    throw invalid('/template_rules', 'is only for devices, which have templates')
  }
  for (const [at, rule] of rules.entries()) {
    const error = topicRuleError('device', rule)
    if (error !== undefined) throw invalid(`/template_rules/${at}/topic`, error)
  }
}

/** @throws Failure invalid_request for an unknown client, or if rules are simulated for a login */
export async function explain(
  { db, points, clock, mqttAuthority, workspaceId }: Context & ExplainServices,
  question: Explain,
): Promise<Explanation> {
  const identity = readIdentity(question.client)
  // Checked first, because the query behind CONNECT is not scoped to a workspace.
  const isHere = isLasting(identity) && (await findRules(db, workspaceId, identity)) !== undefined
  const { template_rules: simulated } = question
  if (simulated !== undefined) requireSimulable(identity?.kind, simulated)
  const sourced = isHere
    ? await readSourced(credentialReads(points), identity, simulated)
    : undefined
  if (sourced === undefined) {
    throw invalid('/client', 'is not a device or an MQTT principal of this workspace')
  }
  const { credential } = sourced
  const grant = { credentialVersion: newestGeneration(credential, clock.now()) }
  return explained(sourced, question, await mqttAuthority.refusalOf({ grant }, credential))
}
