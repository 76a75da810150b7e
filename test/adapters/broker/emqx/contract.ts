/**
 * The requests of EMQX to its hooks, and its reading of responses. Sources: docs.emqx.com (5.8 and
 * 6.x) and apps/emqx_auth_http.
 */
import assert from 'node:assert/strict'
import { ADDRESS, type Ask, type Client, type Contract } from '../hooks/contract.ts'
import { decideByRules, type EmqxResponse, isWellFormed, outcome } from './model.ts'

const emqxBody = ({ username, password, clientId }: Client) => ({
  username,
  password,
  clientid: clientId,
  peerhost: ADDRESS,
})

async function emqxResponse(ask: Ask, client: Client): Promise<EmqxResponse> {
  const response = await ask('emqx/authn', emqxBody(client))
  assert.notEqual(outcome(response), 'ignore')
  return JSON.parse(response.text) as EmqxResponse
}

async function emqxMay(
  ask: Ask,
  client: Client,
  action: 'publish' | 'subscribe',
  topic: string,
): Promise<boolean> {
  const { result, acl = [], clientid_override: named } = await emqxResponse(ask, client)
  if (result !== 'allow') return false
  const { username, clientId } = client
  const body = { username, clientid: named ?? clientId, topic, action }
  const onDemand = outcome(await ask('emqx/authz', body)) === 'allow'
  // EMQX checks a shared subscription by the filter behind its group.
  const [, shared] = /^\$share\/[^/]+\/(.+)$/s.exec(topic) ?? []
  if (!isWellFormed(action, shared ?? topic)) return false
  const atConnect = decideByRules(acl, action, shared ?? topic)
  assert.notEqual(atConnect, undefined, 'a rule decides each topic')
  assert.equal(atConnect, onDemand, `both interfaces agree on ${action} ${topic}`)
  return onDemand
}

export const contract: Contract = {
  kind: 'emqx',
  needsDeny: true,
  scheme: 'bearer',
  connect: async (ask, client) => (await emqxResponse(ask, client)).result === 'allow',
  publish: (ask, client, topic) => emqxMay(ask, client, 'publish', topic),
  subscribe: (ask, client, filter) => emqxMay(ask, client, 'subscribe', filter),
  probe: { path: 'emqx/authn', body: { username: 'u', password: 'p', clientid: 'u' } },
  letsIn: (response) => outcome(response) !== 'deny',
}
