/**
 * The requests of VerneMQ 2.0 to its hooks, and its reading of responses (vmq_webhooks_plugin.erl).
 */
import assert from 'node:assert/strict'
import { ADDRESS, type Ask, type Contract, type HookResponse } from '../hooks/contract.ts'

interface VernemqResponse {
  result: 'ok' | 'next' | { error: string }
  topics?: { topic: string; qos: number }[]
  modifiers?: { topics: { topic: string; qos: number }[] }
}

function vernemqResponse({ status, text }: HookResponse): VernemqResponse {
  if (status !== 200) return { result: { error: 'invalid_response_code' } }
  const response = JSON.parse(text) as VernemqResponse
  assert.notEqual(response.result, 'next', 'another plugin would be asked')
  return response
}

async function vernemqAsk(ask: Ask, hook: string, body: Record<string, unknown>) {
  return vernemqResponse(await ask('vernemq', body, { 'vernemq-hook': hook }))
}

export const contract: Contract = {
  kind: 'vernemq',
  needsDeny: false,
  scheme: 'basic',
  async connect(ask, { username, password, clientId }) {
    const common = { peer_addr: ADDRESS, peer_port: 4711, mountpoint: '', username, password }
    const body = { ...common, client_id: clientId }
    const old = await vernemqAsk(ask, 'auth_on_register', { ...body, clean_session: true })
    const five = { ...body, clean_start: true, properties: {} }
    const response = await vernemqAsk(ask, 'auth_on_register_m5', five)
    assert.deepEqual(old.result, response.result)
    return response.result === 'ok'
  },
  async publish(ask, { username, clientId }, topic) {
    const body = { username, client_id: clientId, mountpoint: '', qos: 1, topic, retain: false }
    return (await vernemqAsk(ask, 'auth_on_publish', body)).result === 'ok'
  },
  async subscribe(ask, { username, clientId }, topic) {
    const body = { username, client_id: clientId, mountpoint: '', topics: [{ topic, qos: 1 }] }
    return (await vernemqAsk(ask, 'auth_on_subscribe', body)).result === 'ok'
  },
  probe: {
    path: 'vernemq',
    body: { username: 'u', client_id: 'u', password: 'p' },
    headers: { 'vernemq-hook': 'auth_on_register' },
  },
  letsIn: (response) => vernemqResponse(response).result === 'ok',
}
