/**
 * The requests of RabbitMQ to its hooks, and its reading of responses. Sources: the README and
 * source of rabbitmq_auth_backend_http, and rabbit_mqtt_processor.erl (3.10, 3.12 and main). That
 * it makes Basic of the address was seen with Erlang 25.
 */
import assert from 'node:assert/strict'
import {
  ADDRESS,
  type Ask,
  type Client,
  type Contract,
  form,
  type HookResponse,
} from '../hooks/contract.ts'

/** RabbitMQ reads the text without its blanks and its case; 200 and 201 alone are responses. */
function rabbitmqAllows({ status, text }: HookResponse): boolean {
  if (status !== 200 && status !== 201) return false
  const word = text.trim().toLowerCase()
  assert.doesNotMatch(word, /^allow\s/, 'a tag would grant a right')
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

export const contract: Contract = {
  kind: 'rabbitmq',
  needsDeny: false,
  scheme: 'basic',
  lacksShared: true,
  async connect(ask, { username, password, clientId }) {
    const login = { username, password, vhost: '/', client_id: clientId }
    if (!(await rabbitmqAsk(ask, 'user', login))) return false
    const vhost = { username, vhost: '/', ip: ADDRESS, tags: '', client_id: clientId }
    return rabbitmqAsk(ask, 'vhost', vhost)
  },
  publish: (ask, client, topic) => rabbitmqTopic(ask, client, 'write', topic),
  subscribe: async (ask, client, filter) =>
    (await rabbitmqQueue(ask, client)) && rabbitmqTopic(ask, client, 'read', filter),
  probe: {
    path: 'rabbitmq/vhost',
    body: { username: 'u', vhost: '/', client_id: 'u' },
    isForm: true,
  },
  letsIn: rabbitmqAllows,
}
