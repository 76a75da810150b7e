/** `mooring devices`: the registry, files, and what changes in it. */
import { createReadStream, createWriteStream } from 'node:fs'
import { text as readAll } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import type { CreateDevice, UpdateDevice } from '../../sdk/schema.ts'
import { findDevice, openContext } from '../context.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { type Row, say } from '../output.ts'
import { addCall, addGroup, addList, choice, collectPair, parseObject } from '../resource.ts'
import type { Context } from '../context.ts'

const IMPORT_COLUMNS = ['line', 'status', 'device_key', 'device_id', 'code', 'message']
const COLUMNS = ['device_key', 'name', 'status', 'connected', 'last_seen_at', 'id']

const named = async (context: Context, device = ''): Promise<{ device_id: string }> => ({
  device_id: await findDevice(context, device),
})

const DEVICE = { arguments: ['<device>'], params: named } as const

interface CreateOptions {
  template?: string
  key?: string
  hardwareId?: string
  name?: string
  tag?: Record<string, string>
  config?: Record<string, unknown>
}

/** The id of a template that is named by its id or its model key. */
export async function findTemplate(context: Context, template: string): Promise<string> {
  if (template.startsWith('tpl_')) return template
  const params = { id: await context.workspace() }
  for await (const { id, model_key: model } of context.client.pages('listDeviceTemplates', {
    params,
  })) {
    if (model === template) return id
  }
  throw new CommandFailure(`There is no template of the model ${template}.`, exitCodes.notFound)
}

async function create(options: CreateOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { template, key, hardwareId, name, tag, config } = options
  const body: CreateDevice = {
    ...(template !== undefined && { template_id: await findTemplate(context, template) }),
    ...(key !== undefined && { device_key: key }),
    ...(hardwareId !== undefined && { hardware_id: hardwareId }),
    ...(name !== undefined && { name }),
    ...(tag !== undefined && { tags: tag }),
    ...(config !== undefined && { config }),
  }
  const device = await context.client.call('createDevice', {
    params: { id: await context.workspace() },
    body,
  })
  context.output.one(device)
  say('The credentials are shown only this once.')
}

interface UpdateOptions {
  template?: string
  name?: string
  tag?: Record<string, string>
  removeTag?: string[]
  config?: Record<string, unknown>
}

async function update(device: string, options: UpdateOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { template, name, tag, removeTag = [], config } = options
  const removed = Object.fromEntries(removeTag.map((key) => [key, null]))
  const tags: Record<string, string | null> = { ...removed, ...tag }
  const body: UpdateDevice = {
    ...(template !== undefined && { template_id: await findTemplate(context, template) }),
    ...(name !== undefined && { name }),
    ...(Object.keys(tags).length > 0 && { tags }),
    ...(config !== undefined && { config }),
  }
  if (Object.keys(body).length === 0) {
    throw new CommandFailure('Name what changes, by an option of --help.', exitCodes.usage)
  }
  const params = { id: await context.workspace(), device_id: await findDevice(context, device) }
  context.output.one(await context.client.call('updateDevice', { params, body }))
}

interface ImportOptions {
  mode?: 'upsert' | 'create' | 'update'
  dryRun?: true
  credentials?: true
}

/** Rows of NDJSON, one JSON object in each line. */
function rowsOf(text: string, file: string): Row[] {
  const lines = text.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }))
  return lines
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => {
      try {
        return JSON.parse(line) as Row
      } catch {
        const where = file === '-' ? 'Line' : `${file}: line`
        throw new CommandFailure(
          `${where} ${number} is not JSON. Nothing was imported.`,
          exitCodes.usage,
        )
      }
    })
}

async function importDevices(file: string, options: ImportOptions, command: Command) {
  const context = openContext(command)
  if (options.credentials && context.output.format === 'table') {
    throw new CommandFailure(
      'A table has no room for credentials, which are shown only once: add -o json or -o ndjson.',
      exitCodes.usage,
    )
  }
  const text = await readAll(file === '-' ? process.stdin : createReadStream(file))
  const { mode, dryRun, credentials } = options
  const results = context.client.rows('importDevices', {
    params: { id: await context.workspace() },
    query: {
      ...(mode && { mode }),
      ...(dryRun && { dry_run: true }),
      ...(credentials && { credentials: true }),
    },
    body: rowsOf(text, file) as CreateDevice[],
  })
  const counts: Record<string, number> = {}
  async function* counted(): AsyncGenerator<Row> {
    for await (const result of results) {
      counts[result.status] = (counts[result.status] ?? 0) + 1
      yield result
    }
  }
  await context.output.list(counted(), IMPORT_COLUMNS)
  say(
    Object.entries(counts)
      .map(([status, count]) => `${count} ${status}`)
      .join(', '),
  )
  if ((counts['failed'] ?? 0) > 0) process.exitCode = exitCodes.refused
}

interface ExportOptions {
  filter?: string
  format: 'ndjson' | 'csv'
  file?: string
}

async function exportDevices({ filter, format, file }: ExportOptions, command: Command) {
  const context = openContext(command)
  const response = await context.client.send('exportDevices', {
    params: { id: await context.workspace() },
    query: { format, ...(filter !== undefined && { filter }) },
  })
  if (response.body === null) return
  const source = Readable.fromWeb(response.body)
  const target = file === undefined ? process.stdout : createWriteStream(file)
  await pipeline(source, target, { end: file !== undefined })
}

/** Prints each device that changes, as it is after the change. */
async function watch(device: string | undefined, _options: object, command: Command) {
  const context = openContext(command)
  const { client, output, workspace } = context
  const params = { id: await workspace() }
  const only = device === undefined ? undefined : await findDevice(context, device)
  const query = { watch: only === undefined ? 'fleet' : `device:${only}` }
  for await (const { type, data } of client.events('watchLive', { params, query })) {
    if (type === 'ready') say('Watching. Ctrl-C ends it.')
    if (type === 'skipped') say('Too much has changed at once: some changes are not shown.')
    const changed = data.kind === 'device' ? (data.id ?? undefined) : data.device_id
    if (type !== 'changed' || changed === undefined) continue
    const now = await client
      .call('getDevice', { params: { ...params, device_id: changed } })
      .catch(() => ({ id: changed, status: 'deleted' }))
    output.line({ ...now, events: data.events ?? [] }, [...COLUMNS, 'events'])
  }
}

function addCreateAndUpdate(group: Command): void {
  group
    .command('create')
    .summary('Create a device, and print its credentials')
    .option('--template <model>', 'its model: the key or the id of a template')
    .option('--key <key>', 'its device key; by default a serial number of the template')
    .option('--hardware-id <id>', 'the id of the hardware')
    .option('--name <name>', 'a name for people')
    .option('--tag <key=value>', 'a tag; may be repeated', collectPair)
    .option('--config <json>', 'its configuration', parseObject)
    .action(create)
  group
    .command('update <device>')
    .summary('Change a device')
    .option('--template <model>', 'another model: the key or the id of a template')
    .option('--name <name>', 'a name for people')
    .option('--tag <key=value>', 'a tag to set; may be repeated', collectPair)
    .option('--remove-tag <key...>', 'tags to remove')
    .option('--config <json>', 'what is merged into its configuration; null removes', parseObject)
    .action(update)
}

function addFiles(group: Command): void {
  group
    .command('import <file>')
    .summary('Create or update devices from NDJSON')
    .description(
      'Create or update devices from NDJSON: one JSON object in each line. `-` reads standard input.',
    )
    .addOption(choice('--mode <mode>', 'which devices', ['upsert', 'create', 'update']))
    .option('--dry-run', 'check the rows, and change nothing')
    .option(
      '--credentials',
      'issue credentials of new devices, and print them; with -o json or ndjson',
    )
    .action(importDevices)
  group
    .command('export')
    .summary('Export devices as NDJSON or CSV')
    .option('-f, --filter <filter>', 'only those for which the filter holds')
    .addOption(choice('--format <format>', 'of the file', ['ndjson', 'csv']).default('ndjson'))
    .option('--file <path>', 'instead of standard output')
    .action(exportDevices)
}

export function addDevices(program: Command): void {
  const group = addGroup(program, 'devices', 'Devices: list, create, update, import, export, watch')
  addList(group, 'list', {
    summary: 'List devices',
    operation: 'listDevices',
    columns: COLUMNS,
    query: {
      status: 'registered, active, suspended or decommissioned',
      q: 'the begin of a key or a name',
    },
  })
  addCall(group, 'get', { summary: 'Show a device', operation: 'getDevice', ...DEVICE })
  addCall(group, 'state', {
    summary: 'Show its last state',
    operation: 'getDeviceState',
    ...DEVICE,
  })
  addCreateAndUpdate(group)
  addFiles(group)
  group.command('watch [device]').summary('Show changes of devices while they happen').action(watch)
  for (const [verb, summary] of [
    ['suspend', 'Refuse its connections until it is resumed'],
    ['resume', 'Accept a suspended device again'],
    ['approve', 'Accept a device that waits for approval'],
    ['reject', 'Refuse a device that waits for approval'],
    ['disconnect', 'End its MQTT sessions'],
    ['release', 'Remove its owner'],
    ['decommission', 'Destroy its credentials, permanently'],
  ] as const) {
    addCall(group, verb, { summary, operation: `${verb}Device`, ...DEVICE })
  }
  addCall(group, 'delete', { summary: 'Delete a device', operation: 'deleteDevice', ...DEVICE })
}
