/** The requests of mosquitto-go-auth 3.0.0 to its hooks, and its reading of responses (http.go). */
import assert from 'node:assert/strict'
import { type Ask, type Client, type Contract, form, type HookResponse } from '../hooks/contract.ts'

const isSuccess = ({ status }: HookResponse): boolean => status >= 200 && status < 300

/** `response_mode` is `status` or `json`: both have to say the same. */
function mosquittoAllows(response: HookResponse): boolean {
  const isOk = isSuccess(response) && (JSON.parse(response.text) as { ok: unknown }).ok === true
  assert.equal(isSuccess(response), isOk)
  return isOk
}

async function mosquittoAcl(ask: Ask, client: Client, topic: string, acc: number) {
  const fields = { username: client.username, clientid: client.clientId, topic }
  const asJson = mosquittoAllows(await ask('mosquitto/acl', { ...fields, acc }))
  const asForm = mosquittoAllows(await ask('mosquitto/acl', form({ ...fields, acc: String(acc) })))
  assert.equal(asJson, asForm)
  return asJson
}

export const contract: Contract = {
  kind: 'mosquitto-go-auth',
  needsDeny: false,
  scheme: 'basic',
  allowsByStatus: true,
  connect: async (ask, { clientId: clientid, ...client }) =>
    mosquittoAllows(await ask('mosquitto/user', { ...client, clientid })),
  publish: (ask, client, topic) => mosquittoAcl(ask, client, topic, 2),
  subscribe: (ask, client, filter) => mosquittoAcl(ask, client, filter, 4),
  probe: {
    path: 'mosquitto/acl',
    body: { username: 'u', clientid: 'u', topic: 't', acc: 2 },
  },
  letsIn: isSuccess,
}
