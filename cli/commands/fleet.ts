/** `mooring commands` and `mooring jobs`: commands to one device, and jobs for one or many. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Argument, type Command } from 'commander'
import type { Command as SentCommand, Job } from '../../sdk/schema.ts'
import { type Context, findDevice, openContext } from '../context.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { say } from '../output.ts'
import { addCall, addGroup, addList, collectPair, parseCount, parseObject } from '../resource.ts'
import { findTemplate } from './devices.ts'

interface SendOptions {
  payload?: Record<string, unknown>
  timeout?: number
  wait?: true
}

function reasonOf({ status, error, sent_at: sentAt }: SentCommand): string {
  if (status === 'failed') return `The device has failed${error ? `: ${error}` : ''}.`
  if (status === 'cancelled') return 'The command was cancelled.'
  return sentAt === null
    ? 'The device was not connected in time: it did not receive the command.'
    : 'The device received the command, and did not acknowledge it in time.'
}

async function send(device: string, name: string, options: SendOptions, command: Command) {
  const context = openContext(command)
  const { client, output } = context
  const params = { id: await context.workspace(), device_id: await findDevice(context, device) }
  const { payload, timeout } = options
  const body = {
    name,
    ...(payload !== undefined && { payload }),
    ...(timeout !== undefined && { timeout_s: timeout }),
  }
  const sent = await client.call('createCommand', { params, body })
  if (!options.wait) return output.one(sent)
  const ended = await client.poll(
    'getCommand',
    { params: { ...params, command_id: sent.id } },
    ({ ended_at: ended }) => ended !== null,
  )
  output.one(ended)
  if (ended.status === 'acknowledged') return
  throw new CommandFailure(reasonOf(ended))
}

export function addCommands(program: Command): void {
  const group = addGroup(program, 'commands', 'Commands to devices: send, wait, list')
  const params = async (context: Context, device = '', command_id = '') => ({
    device_id: await findDevice(context, device),
    ...(command_id !== '' && { command_id }),
  })
  group
    .command('send <device> <name>')
    .summary('Send a command to a device')
    .option('--payload <json>', 'what the device receives with the name', parseObject)
    .option('--timeout <seconds>', 'within which it must acknowledge', parseCount)
    .option('--wait', 'until it has; exit code 1 if it fails or does not respond')
    .action(send)
  addList(group, 'list', {
    summary: 'List the commands of a device',
    operation: 'listCommands',
    columns: ['created_at', 'name', 'status', 'error', 'id'],
    arguments: ['<device>'],
    params,
  })
  const both = { arguments: ['<device>', '<command>'], params } as const
  addCall(group, 'get', { summary: 'Show a command', operation: 'getCommand', ...both })
  addCall(group, 'cancel', {
    summary: 'Cancel a command that was not acknowledged yet',
    operation: 'cancelCommand',
    ...both,
  })
}

/** The compiler knows that none is missing. */
const actions = Object.keys({
  tag: true,
  move_template: true,
  suspend: true,
  resume: true,
  approve: true,
  reject: true,
  reset_credentials: true,
  rotate: true,
  decommission: true,
  delete: true,
  command: true,
  publish_config: true,
} satisfies Record<Job['action'], true>)

interface StartOptions {
  filter?: string
  device?: string[]
  setTag?: Record<string, string>
  removeTag?: string[]
  template?: string
  command?: string
  payload?: Record<string, unknown>
  config?: Record<string, unknown>
  wait?: true
}

const isEnded = ({ status }: Job): boolean =>
  status === 'completed' || status === 'cancelled' || status === 'failed'

/** Polls with growing pauses, since a job may take seconds or an hour. */
async function awaitJob({ client, workspace }: Context, job_id: string): Promise<Job> {
  const params = { id: await workspace(), job_id }
  for (let pauseMs = 250; ; pauseMs = Math.min(5_000, pauseMs * 1.5)) {
    const job = await client.call('getJob', { params })
    if (isEnded(job)) return job
    await sleep(pauseMs)
  }
}

function finish(context: Context, job: Job): void {
  context.output.one(job)
  const { failed, succeeded, total } = job.counts
  say(`${succeeded} of ${total} succeeded, ${failed} failed.`)
  if (job.status !== 'completed' || failed > 0) process.exitCode = exitCodes.refused
}

async function start(
  action: Job['action'],
  options: StartOptions,
  command: Command,
): Promise<void> {
  const context = openContext(command)
  const { filter, device, setTag, removeTag, template, payload, config } = options
  const parameters = {
    ...(setTag !== undefined && { set: setTag }),
    ...(removeTag !== undefined && { remove: removeTag }),
    ...(template !== undefined && { template_id: await findTemplate(context, template) }),
    ...(options.command !== undefined && { name: options.command }),
    ...(payload !== undefined && { payload }),
    ...(config !== undefined && { config }),
  }
  const device_ids = await Promise.all((device ?? []).map((each) => findDevice(context, each)))
  const body = {
    action,
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(device_ids.length > 0 && { device_ids }),
    ...(filter !== undefined && { filter }),
  }
  const params = { id: await context.workspace() }
  const job = await context.client.call('createJob', { params, body })
  if (!options.wait) return context.output.one(job)
  finish(context, await awaitJob(context, job.id))
}

function addStart(group: Command): void {
  group
    .command('start')
    .addArgument(new Argument('<action>', 'what is done').choices(actions))
    .summary('Start a job')
    .description('Start a job: one action for all devices of a filter, or for those that you name.')
    .option('-f, --filter <filter>', 'all devices for which the filter holds')
    .option('--device <device...>', 'devices by id or key')
    .option('--set-tag <key=value>', 'for tag; may be repeated', collectPair)
    .option('--remove-tag <key...>', 'for tag: those to remove')
    .option('--template <model>', 'for move_template: the key or the id of a template')
    .option('--command <name>', 'for command: its name')
    .option('--payload <json>', 'for command: what it contains', parseObject)
    .option(
      '--config <json>',
      'for publish_config: what is merged into the configuration',
      parseObject,
    )
    .option('--wait', 'until the job has ended; exit code 1 if a device failed')
    .action(start)
}

export function addJobs(program: Command): void {
  const group = addGroup(program, 'jobs', 'Jobs: one action for many devices')
  const params = (_context: Context, job_id = ''): object => ({ job_id })
  const one = { arguments: ['<job>'], params } as const
  addStart(group)
  addList(group, 'list', {
    summary: 'List jobs',
    operation: 'listJobs',
    columns: [
      'created_at',
      'action',
      'status',
      'counts.succeeded',
      'counts.failed',
      'counts.total',
      'id',
    ],
  })
  addCall(group, 'get', { summary: 'Show a job', operation: 'getJob', ...one })
  group
    .command('wait <job>')
    .summary('Wait until a job has ended')
    .action(async (job: string, _options: object, command: Command) => {
      const context = openContext(command)
      finish(context, await awaitJob(context, job))
    })
  addList(group, 'results', {
    summary: 'List the result of each device',
    operation: 'listJobItems',
    columns: ['device_key', 'status', 'code', 'detail', 'device_id'],
    query: { status: 'pending, succeeded, failed, skipped or cancelled' },
    ...one,
  })
  addCall(group, 'cancel', { summary: 'Cancel a job', operation: 'cancelJob', ...one })
  addCall(group, 'retry', {
    summary: 'Start it again for the devices that failed',
    operation: 'retryJob',
    ...one,
  })
}
