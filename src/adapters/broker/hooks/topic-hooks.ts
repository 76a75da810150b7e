/**
 * Hooks of brokers that ask about each connection and each topic, and only look at the status of
 * the response.
 */
import { type CompiledRules, compiledOnce } from '../topics.ts'
import { admit, clientOf, rightsOf } from './decisions.ts'
import {
  type Fields,
  type Hook,
  type HookCall,
  json,
  type HookRefusal,
  refusalOf,
  SMALL_BODY,
  statusOf,
  textOf,
} from './hook.ts'

export interface TopicHooks extends Pick<Hook, 'form'> {
  /** The path of the hook that a CONNECT calls. */
  connect: string
  superuser: string
  acl: string
  allowed: string
  /** The body of a denial. */
  denied: (reason: HookRefusal) => string
  /** Whether the rules allow the access to the topic that the request is about. */
  may: (rules: CompiledRules, topic: string, fields: Fields) => boolean
}

/**
 * Why a connected client may not have the access to a topic that the request is about.
 * @param canRename as for `admit`
 * @returns undefined to allow
 */
export async function denialOf(
  call: HookCall,
  may: TopicHooks['may'],
  canRename = false,
): Promise<HookRefusal | undefined> {
  const { fields } = call
  const username = textOf(fields, 'username')
  const clientId = textOf(fields, 'clientid')
  const topic = textOf(fields, 'topic')
  if (username === undefined || clientId === undefined || topic === undefined) return 'malformed'
  const decision = await rightsOf(call, username, clientId, canRename)
  if (!decision.accepted) return refusalOf(decision.reason)
  return may(compiledOnce(decision.grant.rules), topic, fields) ? undefined : 'refused'
}

export function topicHooks(of: TopicHooks): readonly Hook[] {
  const { form, denied, may } = of
  const allow = json(200, of.allowed)
  const deny = (reason: HookRefusal) => json(statusOf[reason], denied(reason))
  const common = { form, allowsByStatus: true, bodyLimit: SMALL_BODY, deny }
  return [
    {
      ...common,
      path: of.connect,
      async decide(call) {
        const client = clientOf(call.fields, { clientId: 'clientid', address: 'ipaddress' })
        const decision = await admit(call, client)
        return decision.accepted ? allow : deny(refusalOf(decision.reason))
      },
    },
    // Allowing would exempt the client from all further checks.
    { ...common, path: of.superuser, decide: () => deny('refused') },
    {
      ...common,
      path: of.acl,
      async decide(call) {
        const denial = await denialOf(call, may)
        return denial === undefined ? allow : deny(denial)
      },
    },
  ]
}
