/**
 * EMQX's HTTP authenticator and authorizer (5.8 to 6.x): `POST` with JSON. EMQX treats any status
 * but 200 as "ask the next source", which may allow, so every response is a 200 that says allow or
 * deny.
 */
import { andThen } from '../../../platform/lib/maybe-promise.ts'
import type { Grant } from '../port.ts'
import { mayPublish, maySubscribe } from '../topics.ts'
import { admit, clientOf, ownName } from '../hooks/decisions.ts'
import { denialOf, type TopicHooks } from '../hooks/topic-hooks.ts'
import { emqxRulesOf } from './rules.ts'
import type { EmqxEntry } from './settings.ts'
import { type HookResponse, type Hook, json, SMALL_BODY } from '../hooks/hook.ts'

const DENIED = json(200, '{"result":"deny"}')
const ALLOWED = json(200, '{"result":"allow"}')

const common = {
  form: 'json',
  bodyLimit: SMALL_BODY,
  deny: (): HookResponse => DENIED,
} as const

/** Precedes the other rules: whatever they allow, retaining is denied. */
const NOTHING_RETAINED = '{"permission":"deny","action":"publish","topic":"#","retain":true}'

function aclOf({ rules, mayRetain }: Grant): string {
  const encoded = JSON.stringify(emqxRulesOf(rules).rules)
  return mayRetain === false ? `[${NOTHING_RETAINED},${encoded.slice(1)}` : encoded
}

/** Ids need no escaping, but client ids do. */
function yes(grant: Grant, clientId: string, { emqx = {} }: EmqxEntry): HookResponse {
  const { principalId, workspaceId, expiresAt } = grant
  const members = [
    '"result":"allow","is_superuser":false',
    `"client_attrs":{"principal":"${principalId}","workspace":"${workspaceId}"}`,
  ]
  const name = ownName(principalId, clientId)
  if (emqx.client_id_override && workspaceId !== '' && name !== clientId) {
    members.push(`"clientid_override":${JSON.stringify(name)}`)
  }
  if (expiresAt !== null) members.push(`"expire_at":${Math.floor(expiresAt / 1_000)}`)
  if (emqx.rules !== 'on_demand') members.push(`"acl":${aclOf(grant)}`)
  return json(200, `{${members.join(',')}}`)
}

const may: TopicHooks['may'] = (rules, topic, { action }) =>
  (action === 'publish' && mayPublish(rules, topic)) ||
  (action === 'subscribe' && maySubscribe(rules, topic))

export const emqxHooks: readonly Hook[] = [
  {
    ...common,
    path: 'emqx/authn',
    decide(call) {
      const broker: EmqxEntry = call.broker
      const client = clientOf(call.fields, { clientId: 'clientid', address: 'peerhost' })
      const asked = admit(call, client, broker.emqx?.client_id_override)
      return andThen(asked, (decision) =>
        decision.accepted ? yes(decision.grant, client.clientId, broker) : DENIED,
      )
    },
  },
  {
    ...common,
    path: 'emqx/authz',
    async decide(call) {
      return (await denialOf(call, may, true)) === undefined ? ALLOWED : DENIED
    },
  },
]
