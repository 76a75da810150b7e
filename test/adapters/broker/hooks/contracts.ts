/**
 * What each broker sends to its hooks and how it reads the answers, in our own words. Sources: for
 * EMQX docs.emqx.com (5.8 and 6.x) and apps/emqx_auth_http; for RabbitMQ the README and the source
 * of rabbitmq_auth_backend_http and rabbit_mqtt_processor.erl (3.10, 3.12 and main); for Mosquitto
 * http.go of mosquitto-go-auth 3.0.0; for NanoMQ auth_http.c of NanoNNG (0.22); for VerneMQ
 * vmq_webhooks_plugin.erl (2.0). That RabbitMQ makes Basic of an address was seen with Erlang 25.
 */
import assert from 'node:assert/strict'
import {
  decideByRules,
  type EmqxAnswer,
  type HookAnswer,
  isWellFormed,
  verdict,
} from './emqx-model.ts'

export interface Client {
  username: string
  password: string
  clientId: string
}

/** Asks a hook below `/hooks/{broker}/`, and shows the broker's secret. */
export type Ask = (
  path: string,
  body: Record<string, unknown> | string,
  headers?: Record<string, string>,
) => Promise<HookAnswer>

export interface Contract {
  kind: string
  /** Each resolves as the broker decides. */
  connect(ask: Ask, client: Client): Promise<boolean>
  publish(ask: Ask, client: Client, topic: string): Promise<boolean>
  subscribe(ask: Ask, client: Client, filter: string): Promise<boolean>
  /** A path, a body for it, and whether the answer lets anything in. */
  probe: { path: string; body: Record<string, unknown>; headers?: Record<string, string> }
  letsIn: (answer: HookAnswer) => boolean
  /** Whether no answer but a clear no is safe. */
  needsDeny: boolean
}

const ADDRESS = '203.0.113.9'

const form = (fields: Record<string, string>): string => new URLSearchParams(fields).toString()

const emqxBody = ({ username, password, clientId }: Client) => ({
  username,
  password,
  clientid: clientId,
  peerhost: ADDRESS,
})

async function emqxAnswer(ask: Ask, client: Client): Promise<EmqxAnswer> {
  const answer = await ask('emqx/authn', emqxBody(client))
  assert.notEqual(verdict(answer), 'ignore')
  return JSON.parse(answer.text) as EmqxAnswer
}

async function emqxMay(
  ask: Ask,
  client: Client,
  action: 'publish' | 'subscribe',
  topic: string,
): Promise<boolean> {
  const { result, acl = [], clientid_override: named } = await emqxAnswer(ask, client)
  if (result !== 'allow') return false
  const { username, clientId } = client
  const body = { username, clientid: named ?? clientId, topic, action }
  const onDemand = verdict(await ask('emqx/authz', body)) === 'allow'
  // EMQX judges a shared subscription by the filter behind its group.
  const [, shared] = /^\$share\/[^/]+\/(.+)$/s.exec(topic) ?? []
  if (!isWellFormed(action, shared ?? topic)) return false
  const atConnect = decideByRules(acl, action, shared ?? topic)
  assert.notEqual(atConnect, undefined, 'a rule decides each topic')
  assert.equal(atConnect, onDemand, `both ways say the same of ${action} ${topic}`)
  return onDemand
}

const emqx: Contract = {
  kind: 'emqx',
  needsDeny: true,
  connect: async (ask, client) => (await emqxAnswer(ask, client)).result === 'allow',
  publish: (ask, client, topic) => emqxMay(ask, client, 'publish', topic),
  subscribe: (ask, client, filter) => emqxMay(ask, client, 'subscribe', filter),
  probe: { path: 'emqx/authn', body: { username: 'u', password: 'p', clientid: 'u' } },
  letsIn: (answer) => verdict(answer) !== 'deny',
}

/** RabbitMQ reads the text without its blanks and its case; 200 and 201 alone are answers. */
function rabbitmqAllows({ status, text }: HookAnswer): boolean {
  if (status !== 200 && status !== 201) return false
  const word = text.trim().toLowerCase()
  assert.doesNotMatch(word, /^allow\s/, 'a tag would be a right')
  return word.startsWith('allow')
}

const rabbitmqAsk = async (ask: Ask, path: string, fields: Record<string, string>) =>
  rabbitmqAllows(await ask(`rabbitmq/${path}`, form(fields)))

async function rabbitmqQueue(ask: Ask, { username, clientId }: Client): Promise<boolean> {
  const common = { username, vhost: '/', tags: '', client_id: clientId }
  const queue = { ...common, resource: 'queue', name: `mqtt-subscription-${clientId}qos1` }
  for (const permission of ['configure', 'write', 'read']) {
    if (!(await rabbitmqAsk(ask, 'resource', { ...queue, permission }))) return false
  }
  return true
}

async function rabbitmqTopic(
  ask: Ask,
  { username, clientId }: Client,
  permission: 'read' | 'write',
  topic: string,
): Promise<boolean> {
  const common = { username, vhost: '/', name: 'amq.topic', permission, tags: '' }
  const exchange = { ...common, resource: 'exchange', client_id: clientId }
  if (!(await rabbitmqAsk(ask, 'resource', exchange))) return false
  return rabbitmqAsk(ask, 'topic', {
    ...common,
    resource: 'topic',
    routing_key: topic.replaceAll('/', '.').replaceAll('+', '*'),
    'variable_map.username': username,
    'variable_map.vhost': '/',
    'variable_map.client_id': clientId,
  })
}

const rabbitmq: Contract = {
  kind: 'rabbitmq',
  needsDeny: false,
  async connect(ask, { username, password, clientId }) {
    const login = { username, password, vhost: '/', client_id: clientId }
    if (!(await rabbitmqAsk(ask, 'user', login))) return false
    const vhost = { username, vhost: '/', ip: ADDRESS, tags: '', client_id: clientId }
    return rabbitmqAsk(ask, 'vhost', vhost)
  },
  publish: (ask, client, topic) => rabbitmqTopic(ask, client, 'write', topic),
  subscribe: async (ask, client, filter) =>
    (await rabbitmqQueue(ask, client)) && rabbitmqTopic(ask, client, 'read', filter),
  probe: { path: 'rabbitmq/vhost', body: { username: 'u', vhost: '/', client_id: 'u' } },
  letsIn: rabbitmqAllows,
}

const isSuccess = ({ status }: HookAnswer): boolean => status >= 200 && status < 300

/** `response_mode` is `status` or `json`: both have to say the same. */
function mosquittoAllows(answer: HookAnswer): boolean {
  const isOk = isSuccess(answer) && (JSON.parse(answer.text) as { ok: unknown }).ok === true
  assert.equal(isSuccess(answer), isOk)
  return isOk
}

async function mosquittoAcl(ask: Ask, client: Client, topic: string, acc: number) {
  const fields = { username: client.username, clientid: client.clientId, topic }
  const asJson = mosquittoAllows(await ask('mosquitto/acl', { ...fields, acc }))
  const asForm = mosquittoAllows(await ask('mosquitto/acl', form({ ...fields, acc: String(acc) })))
  assert.equal(asJson, asForm)
  return asJson
}

const mosquitto: Contract = {
  kind: 'mosquitto-go-auth',
  needsDeny: false,
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

const nanomqAllows = ({ status }: HookAnswer): boolean => status === 200

const nanomq: Contract = {
  kind: 'nanomq',
  needsDeny: false,
  connect: async (ask, { username, password, clientId }) =>
    nanomqAllows(
      await ask('nanomq/auth', { clientid: clientId, username, password, ipaddress: ADDRESS }),
    ),
  publish: async (ask, { username, clientId }, topic) =>
    nanomqAllows(await ask('nanomq/acl', { clientid: clientId, username, access: '2', topic })),
  subscribe: async (ask, { username, clientId }, topic) =>
    nanomqAllows(await ask('nanomq/acl', { clientid: clientId, username, access: '1', topic })),
  probe: { path: 'nanomq/auth', body: { username: 'u', password: 'p', clientid: 'u' } },
  letsIn: nanomqAllows,
}

interface VernemqAnswer {
  result: 'ok' | 'next' | { error: string }
  topics?: { topic: string; qos: number }[]
  modifiers?: { topics: { topic: string; qos: number }[] }
}

function vernemqAnswer({ status, text }: HookAnswer): VernemqAnswer {
  if (status !== 200) return { result: { error: 'invalid_response_code' } }
  const answer = JSON.parse(text) as VernemqAnswer
  assert.notEqual(answer.result, 'next', 'another plugin would be asked')
  return answer
}

async function vernemqAsk(ask: Ask, hook: string, body: Record<string, unknown>) {
  return vernemqAnswer(await ask('vernemq', body, { 'vernemq-hook': hook }))
}

const vernemq: Contract = {
  kind: 'vernemq',
  needsDeny: false,
  async connect(ask, { username, password, clientId }) {
    const common = { peer_addr: ADDRESS, peer_port: 4711, mountpoint: '', username, password }
    const body = { ...common, client_id: clientId }
    const old = await vernemqAsk(ask, 'auth_on_register', { ...body, clean_session: true })
    const five = { ...body, clean_start: true, properties: {} }
    const answer = await vernemqAsk(ask, 'auth_on_register_m5', five)
    assert.deepEqual(old.result, answer.result)
    return answer.result === 'ok'
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
  letsIn: (answer) => vernemqAnswer(answer).result === 'ok',
}

export const contracts: readonly Contract[] = [emqx, rabbitmq, mosquitto, nanomq, vernemq]
