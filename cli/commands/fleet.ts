/** `mooring commands` and `mooring jobs`: what devices are asked to do, one or many of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Job } from '../../sdk/schema.ts'
import { type Context, findDevice, openContext } from '../context.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { say } from '../output.ts'
import { addCall, addGroup, addList, collectPair, parseCount, parseObject } from '../resource.ts'

interface SendOptions {
  payload?: Record<string, unknown>
  timeout?: number
  wait?: true
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
  throw new CommandFailure(
    `The command is ${ended.status}${ended.error ? `: ${ended.error}` : ''}.`,
  )
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

interface StartOptions {
  filter?: string
  device?: string[]
  setTag?: Record<string, string>
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

async function start(action: string, options: StartOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { filter, device, setTag, payload, config } = options
  const parameters = {
    ...(setTag !== undefined && { set: setTag }),
    ...(options.command !== undefined && { name: options.command }),
    ...(payload !== undefined && { payload }),
    ...(config !== undefined && { config }),
  }
  const device_ids = await Promise.all((device ?? []).map((each) => findDevice(context, each)))
  // The service knows which actions there are, and says so.
  const body = {
    action: action as Job['action'],
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(device_ids.length > 0 && { device_ids }),
    ...(filter !== undefined && { filter }),
  }
  const params = { id: await context.workspace() }
  const job = await context.client.call('createJob', { params, body })
  if (!options.wait) return context.output.one(job)
  finish(context, await awaitJob(context, job.id))
}

export function addJobs(program: Command): void {
  const group = addGroup(program, 'jobs', 'Jobs: one action for many devices')
  const params = (_context: Context, job_id = ''): object => ({ job_id })
  const one = { arguments: ['<job>'], params } as const
  group
    .command('start <action>')
    .summary('Start a job')
    .description(
      'Start a job. Actions include tag, suspend, resume, approve, reject, rotate, command, config and\n' +
        'decommission; the API reference lists all of them. Name the devices by a filter, or one by one.',
    )
    .option('-f, --filter <filter>', 'all devices for which the filter holds')
    .option('--device <device...>', 'devices by id or key')
    .option('--set-tag <key=value>', 'for tag; may be repeated', collectPair)
    .option('--command <name>', 'for command: its name')
    .option('--payload <json>', 'for command: what it contains', parseObject)
    .option('--config <json>', 'for config: what is merged into the configuration', parseObject)
    .option('--wait', 'until the job has ended; exit code 1 if a device failed')
    .action(start)
  addList(group, 'list', {
    summary: 'List jobs',
    operation: 'listJobs',
    columns: ['created_at', 'action', 'status', 'counts.succeeded', 'counts.total', 'id'],
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
