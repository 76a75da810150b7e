/** Commands for events: the event feed, MQTT messages, webhooks. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer, text as readAll } from 'node:stream/consumers'
import type { Command } from 'commander'
import { MooringError } from '../../sdk/client.ts'
import { verifyWebhook, WebhookError } from '../../sdk/webhooks.ts'
import { chooseProfile, type Context, findDevice, openContext } from '../context.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { type Output, say } from '../output.ts'
import {
  addCall,
  addGroup,
  addList,
  choice,
  parseCount,
  parseJson,
  splitList,
} from '../resource.ts'

const EVENT_COLUMNS = ['occurred_at', 'type', 'data', 'id']
const MESSAGE_COLUMNS = ['at', 'topic', 'client', 'payload']

interface TailOptions {
  types?: string
  device?: string
  after: string
  limit?: number
}

async function tail({ types, device, after, limit }: TailOptions, command: Command) {
  const context = openContext(command)
  const query = {
    ...(types !== undefined && { types }),
    ...(device !== undefined && { device_id: await findDevice(context, device) }),
    ...(after !== 'oldest' && { after }),
  }
  const params = { id: await context.workspace() }
  let left = limit ?? Number.POSITIVE_INFINITY
  try {
    for await (const { events } of context.client.feed({ params, query })) {
      for (const event of events) {
        context.output.line(event, EVENT_COLUMNS)
        left -= 1
        if (left === 0) return
      }
    }
  } catch (error) {
    if (!(error instanceof MooringError) || error.code !== 'invalid_cursor') throw error
    throw new CommandFailure(
      '--after takes latest, oldest, or a cursor of the feed of events.',
      exitCodes.usage,
    )
  }
}

export function addEvents(program: Command): void {
  addGroup(program, 'events', 'Events of a workspace')
    .command('tail')
    .summary('Print events as they happen')
    .option('--types <types>', 'such as device.*,claim.created')
    .option('--device <device>', 'only those of a device')
    .option('--after <position>', 'latest, oldest, or a cursor of the feed', 'latest')
    .option('-n, --limit <count>', 'end after so many', parseCount)
    .action(tail)
}

interface PublishOptions {
  qos: string
  retain?: true
  json?: true
}

async function publish(topic: string, payload: string, options: PublishOptions, command: Command) {
  const { client, output, workspace } = openContext(command)
  const text = payload === '-' ? await readAll(process.stdin) : payload
  const body = {
    topic,
    payload: options.json ? parseJson(text, 'The payload') : text,
    encoding: options.json ? ('json' as const) : ('text' as const),
    qos: Number(options.qos),
    ...(options.retain && { retain: true }),
  }
  output.one(await client.call('publishMessage', { params: { id: await workspace() }, body }))
}

interface WatchOptions {
  config?: true
  limit?: number
}

/** For people: shows the begin of each payload, and leaves out some of very many messages. */
async function watchMessages(topic: string | undefined, options: WatchOptions, command: Command) {
  const { client, output, workspace } = openContext(command)
  const params = { id: await workspace() }
  const query = {
    ...(topic !== undefined && { topic }),
    ...(options.config && { config: true }),
  }
  let left = options.limit ?? Number.POSITIVE_INFINITY
  for await (const { type, data } of client.events('tailMessages', { params, query })) {
    if (type === 'ready') say(`Watching ${data.topic}. Ctrl-C ends it.`)
    if (type === 'skipped') say(`${data.count} more messages came than are shown at once.`)
    if (type !== 'message') continue
    output.line(data, MESSAGE_COLUMNS)
    left -= 1
    if (left === 0) return
  }
}

export function addMessages(program: Command): void {
  const group = addGroup(program, 'messages', 'MQTT messages')
  group
    .command('tail [filter]')
    .summary('Print messages as they are published')
    .description(
      'Print messages as they are published, on every broker: those of a topic filter, such as ' +
        '`acme/lamp-17/#`, or all of the workspace. The audit log has an entry about it.',
    )
    .option('--config', 'also configurations of devices, which may contain secrets')
    .option('-n, --limit <count>', 'end after so many', parseCount)
    .action(watchMessages)
  group
    .command('publish <topic> <payload>')
    .summary('Publish a message')
    .description('Publish a message. As payload, `-` reads standard input.')
    .addOption(choice('--qos <qos>', 'quality of service', ['0', '1']).default('0'))
    .option('--retain', 'the broker keeps it for later subscribers')
    .option('--json', 'the payload is JSON')
    .action(publish)
}

const MAX_BODY_BYTES = 1024 * 1024

/** One delivery: prints its event if the service has signed it. @returns the status to respond */
async function receive(
  request: IncomingMessage,
  secret: string[],
  output: Output,
): Promise<number> {
  if (request.method !== 'POST') return 405
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return 413
  const body = await buffer(request)
  try {
    output.line(await verifyWebhook({ secret, headers: request.headers, body }), EVENT_COLUMNS)
    return 204
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    say(`Refused a request from ${request.socket.remoteAddress}: ${error.message}.`)
    return 400
  }
}

interface ListenOptions {
  port: string
  host: string
  secretStdin?: true
  limit?: number
}

async function secretsOf({ secretStdin }: ListenOptions): Promise<string[]> {
  const given = secretStdin ? await readAll(process.stdin) : process.env['MOORING_WEBHOOK_SECRET']
  const secrets = splitList(given ?? '')
  if (secrets.length > 0 && secrets.every((each) => each.startsWith('whsec_'))) return secrets
  throw new CommandFailure(
    'Give the secret of the webhook, whsec_…, in MOORING_WEBHOOK_SECRET, or with --secret-stdin.',
    exitCodes.usage,
  )
}

async function listen(options: ListenOptions, command: Command): Promise<void> {
  const { output } = chooseProfile(command)
  const secrets = await secretsOf(options)
  let left = options.limit ?? Number.POSITIVE_INFINITY
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    receive(request, secrets, output).then(
      (status) => {
        response.writeHead(status).end()
        if (status === 204) left -= 1
        if (left === 0) server.close()
      },
      () => response.writeHead(500).end(),
    )
  })
  server.listen(Number(options.port), options.host)
  await once(server, 'listening')
  const { address, port } = server.address() as AddressInfo
  say(`Listening on http://${address}:${port}/. Ctrl-C ends it.`)
  await once(server, 'close')
}

interface HookOptions {
  types?: string
  description?: string
}

async function createHook(url: string, { types, description }: HookOptions, command: Command) {
  const { client, output, workspace } = openContext(command)
  const body = {
    url,
    ...(types !== undefined && { types: splitList(types) }),
    ...(description !== undefined && { description }),
  }
  output.one(await client.call('createWebhook', { params: { id: await workspace() }, body }))
  say('The secret is shown only this once.')
}

export function addWebhooks(program: Command): void {
  const group = addGroup(program, 'webhooks', 'Webhooks: list, create, test, receive')
  const params = (_context: Context, webhook_id = ''): object => ({ webhook_id })
  const one = { arguments: ['<webhook-id>'], params } as const
  addList(group, 'list', {
    summary: 'List webhooks',
    operation: 'listWebhooks',
    columns: ['url', 'types', 'status', 'disabled_reason', 'id'],
  })
  addCall(group, 'get', { summary: 'Show a webhook', operation: 'getWebhook', ...one })
  group
    .command('create <url>')
    .summary('Create a webhook, and print its secret')
    .option('--types <types>', 'such as device.*,claim.created; by default all')
    .option('--description <text>', 'for people')
    .action(createHook)
  addCall(group, 'test', { summary: 'Send a test event now', operation: 'testWebhook', ...one })
  addList(group, 'deliveries', {
    summary: 'List its deliveries',
    operation: 'listWebhookDeliveries',
    columns: ['type', 'status', 'tries', 'last_attempt.status', 'next_try_at', 'event_id'],
    ...one,
  })
  addCall(group, 'delete', { summary: 'Delete a webhook', operation: 'deleteWebhook', ...one })
  group
    .command('listen')
    .summary('Receive deliveries here, verify and print them')
    .description(
      'Receive deliveries here, verify and print them. The service must be able to reach this address:\n' +
        'through a tunnel or a proxy, if it runs elsewhere. If it runs here, start it with\n' +
        'MOORING_WEBHOOK_ALLOWED_HOSTS=127.0.0.1, and create the webhook for http://127.0.0.1:9000/.',
    )
    .option('--port <port>', 'to listen on; 0 for any', '9000')
    .option('--host <address>', 'to listen on', '127.0.0.1')
    .option(
      '--secret-stdin',
      'read the secret from standard input, instead of MOORING_WEBHOOK_SECRET',
    )
    .option('-n, --limit <count>', 'end after so many events', parseCount)
    .action(listen)
}
