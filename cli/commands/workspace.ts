/**
 * Commands for the parts of a workspace besides its devices: keys, templates, domains, the audit
 * log.
 */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { CreateApiKey, CreateDeviceTemplate, AddDomain } from '../../sdk/schema.ts'
import { type Context, openContext } from '../context.ts'
import { exitCodes } from '../failure.ts'
import { say } from '../output.ts'
import {
  addCall,
  addGroup,
  addList,
  choice,
  parseCount,
  parseJson,
  parseObject,
} from '../resource.ts'
import { findTemplate } from './devices.ts'

interface KeyOptions {
  kind: CreateApiKey['key_kind']
  name?: string
  template?: string[]
  quota?: number
  expires?: string
}

async function createKey(options: KeyOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { kind, name, template = [], quota, expires } = options
  const template_ids = await Promise.all(template.map((each) => findTemplate(context, each)))
  const body: CreateApiKey = {
    key_kind: kind,
    ...(name !== undefined && { name }),
    ...(template_ids.length > 0 && { template_ids }),
    ...(quota !== undefined && { device_quota: quota }),
    ...(expires !== undefined && { expires_at: expires }),
  }
  const params = { id: await context.workspace() }
  context.output.one(await context.client.call('createApiKey', { params, body }))
  say('The key is shown only this once.')
}

export function addKeys(program: Command): void {
  const group = addGroup(program, 'keys', 'API keys of factories and backends')
  const params = (_context: Context, key_id = ''): object => ({ key_id })
  const one = { arguments: ['<key-id>'], params } as const
  addList(group, 'list', {
    summary: 'List API keys',
    operation: 'listApiKeys',
    columns: ['key_hint', 'key_kind', 'name', 'status', 'last_used_at', 'id'],
  })
  addCall(group, 'get', { summary: 'Show a key', operation: 'getApiKey', ...one })
  group
    .command('create')
    .summary('Create a key, and print it')
    .addOption(
      choice('--kind <kind>', 'of a factory or of a backend', [
        'provision',
        'platform',
      ]).makeOptionMandatory(),
    )
    .option('--name <name>', 'for people')
    .option('--template <model...>', 'provision keys: only these models')
    .option('--quota <count>', 'provision keys: at most so many devices', parseCount)
    .option('--expires <time>', 'provision keys: RFC 3339')
    .action(createKey)
  addCall(group, 'revoke', {
    summary: 'Revoke a key: it is refused within a second',
    operation: 'revokeApiKey',
    done: 'The key is revoked.',
    ...one,
  })
}

interface TemplateOptions {
  file?: string
  model?: string
  name?: string
  serialFormat?: string
  config?: Record<string, unknown>
}

async function createTemplate(options: TemplateOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { file, model, name, serialFormat, config } = options
  const given = file === undefined ? {} : (parseJson(readFileSync(file, 'utf8'), file) as object)
  const body = {
    ...given,
    ...(model !== undefined && { model_key: model }),
    ...(name !== undefined && { name }),
    ...(serialFormat !== undefined && { serial_format: serialFormat }),
    ...(config !== undefined && { default_config: config }),
  } as CreateDeviceTemplate
  const params = { id: await context.workspace() }
  context.output.one(await context.client.call('createDeviceTemplate', { params, body }))
}

export function addTemplates(program: Command): void {
  const group = addGroup(
    program,
    'templates',
    'Device templates: what all devices of a model share',
  )
  const params = async (context: Context, template = '') => ({
    template_id: await findTemplate(context, template),
  })
  const one = { arguments: ['<model>'], params } as const
  addList(group, 'list', {
    summary: 'List device templates',
    operation: 'listDeviceTemplates',
    columns: ['model_key', 'name', 'serial_format', 'updated_at', 'id'],
  })
  addCall(group, 'get', { summary: 'Show a template', operation: 'getDeviceTemplate', ...one })
  addList(group, 'versions', {
    summary: 'List its versions',
    operation: 'listTemplateVersions',
    columns: ['version', 'created_at', 'created_by'],
    ...one,
  })
  group
    .command('create')
    .summary('Create a template')
    .option('--file <path>', 'JSON with members of the API; options replace those of the file')
    .option('--model <key>', 'the key of the model, which is fixed')
    .option('--name <name>', 'for people')
    .option('--serial-format <format>', 'of serial numbers, such as L-%Y-%#f')
    .option('--config <json>', 'the configuration that devices begin with', parseObject)
    .action(createTemplate)
  addCall(group, 'delete', {
    summary: 'Delete a template',
    operation: 'deleteDeviceTemplate',
    ...one,
  })
}

async function addOne(name: string, { purpose }: Pick<AddDomain, 'purpose'>, command: Command) {
  const context = openContext(command)
  const params = { id: await context.workspace() }
  const domain = await context.client.call('addDomain', { params, body: { name, purpose } })
  context.output.one(domain)
  const { record, name: host, value } = domain.verification
  say(
    `Create this DNS record, then run: mooring domains verify ${domain.id}\n  ${host} ${record} ${value}`,
  )
}

export function addDomains(program: Command): void {
  const group = addGroup(program, 'domains', 'Host names of a workspace')
  const params = (_context: Context, domain_id = ''): object => ({ domain_id })
  const one = { arguments: ['<domain-id>'], params } as const
  addList(group, 'list', {
    summary: 'List domains',
    operation: 'listDomains',
    columns: ['name', 'purpose', 'status', 'certificate.not_after', 'id'],
  })
  addCall(group, 'get', { summary: 'Show a domain', operation: 'getDomain', ...one })
  group
    .command('add <name>')
    .summary('Add a domain, and print the DNS record that proves it')
    .addOption(choice('--purpose <purpose>', 'what it serves', ['mqtt', 'api']).default('mqtt'))
    .action(addOne)
  addCall(group, 'verify', {
    summary: 'Look for the DNS record now',
    operation: 'verifyDomain',
    ...one,
  })
  addCall(group, 'delete', { summary: 'Delete a domain', operation: 'deleteDomain', ...one })
}

async function verify(_options: object, command: Command): Promise<void> {
  const { client, output, workspace } = openContext(command)
  const params = { id: await workspace() }
  let query = {}
  for (;;) {
    const result = await client.call('verifyAuditLog', { params, query })
    const { valid, next_from_seq: next } = result
    if (!valid) process.exitCode = exitCodes.refused
    if (!valid || next === null) return output.one(result)
    query = { from_seq: next }
  }
}

async function exportLog(options: { from?: string; to?: string }, command: Command): Promise<void> {
  const { client, output, workspace } = openContext(command)
  const params = { id: await workspace() }
  const rows = client.rows('exportAuditLog', { params, query: { ...options } })
  await output.list(rows, ['seq', 'occurred_at', 'actor_kind', 'actor_id', 'action', 'resource_id'])
}

export function addAudit(program: Command): void {
  const group = addGroup(program, 'audit', 'The audit log')
  addList(group, 'list', {
    summary: 'List audit entries, the newest first',
    operation: 'listAuditLog',
    columns: ['occurred_at', 'actor.kind', 'actor.id', 'action', 'resource.id'],
    query: {
      actor: 'id of a user, a key or a device',
      action: 'such as api_key.created',
      resource: 'id of what was changed',
      from: 'RFC 3339',
      to: 'RFC 3339',
    },
  })
  group
    .command('export')
    .summary('Export the whole log with its hashes')
    .option('--from <time>', 'RFC 3339')
    .option('--to <time>', 'RFC 3339')
    .action(exportLog)
  group
    .command('verify')
    .summary('Verify the hash chain; exit code 1 if it is broken')
    .action(verify)
}
