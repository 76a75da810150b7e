/**
 * The service as a process of its own, as people start it: `npm start` in a data folder, on
 * free ports, with nothing of the test's own environment.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Environment } from '../../src/platform/config/config.ts'
import { callUrl, type CallOptions, type CallResult } from './app.ts'
import { defer } from './cleanup.ts'
import { clonedDatabaseUrl, copyCluster } from './database.ts'
import { ROOT } from './sources.ts'
import { until } from './until.ts'

type Cleanup = Pick<TestContext, 'after'>

/** The program of a checkout, which `npm start` runs. */
export const main = join(ROOT, 'packaging/start.ts')

/** Nothing of the environment, but the way to the system's programs and to what is compiled. */
export const bare = (environment: Environment = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  ...environment,
})

const free: Environment = {
  MOORING_HTTP_PORT: '0',
  MOORING_OPERATOR_PORT: '0',
  MOORING_MQTT_PORT: '0',
  MOORING_RATE_LIMITS: 'off',
  // Tests that are about several processes set this.
  MOORING_PROCESSES: '1',
  // Tests of the console turn it on; the others need not wait until it is built.
  MOORING_CONSOLE: 'off',
}

/** A folder that does not exist yet, inside one that is removed after the test. */
export async function newDataDir(t: Cleanup, uid?: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-service-'))
  if (uid !== undefined) chownSync(folder, uid, uid)
  defer(t, () => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return join(folder, 'data')
}

/**
 * A data folder with a database in which nothing is yet: a first start there makes the owner and
 * the keys as ever. For tests that are about something else than the first start.
 */
export async function preparedDataDir(t: Cleanup): Promise<string> {
  const dataDir = await newDataDir(t)
  await copyCluster(dataDir)
  return dataDir
}

/**
 * The same on the server of the run: for tests that are not about the embedded one either, which
 * each command would start and end.
 */
export async function ownDatabase(t: Cleanup) {
  // The service closes its database before the database is dropped.
  const url = await clonedDatabaseUrl(t)
  return { MOORING_DATA_DIR: await newDataDir(t), DATABASE_URL: url }
}

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface Started {
  process: ChildProcess
  output: { stdout: string; stderr: string }
  ended: Promise<Ended>
}

export interface RunOptions {
  environment?: Environment
  input?: string
  uid?: number
}

/** Starts one of the project's programs; it is killed after the test, if it still runs. */
export function start(
  t: Cleanup,
  [program = main, ...args]: readonly string[],
  { environment = {}, input, uid }: RunOptions = {},
): Started {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: ROOT,
    env: bare(environment),
    ...(uid !== undefined && { uid, gid: uid }),
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()))
  child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()))
  // A program that fails at once does not read what it is given.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }))
  defer(t, async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { process: child, output, ended }
}

/** Runs a command of the command line to its end. */
export const runMooring = (t: Cleanup, args: readonly string[], options?: RunOptions) =>
  start(t, [main, ...args], options).ended

export interface Service extends Started {
  origin: string
  mqtt: { host: string; port: number }
  call: (method: string, path: string, options?: CallOptions) => Promise<CallResult>
  /** Sends the signal, and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

/** Starts the service and waits until it says that it is ready. */
export async function startService(
  t: Cleanup,
  dataDir: string,
  { environment, ...options }: RunOptions = {},
): Promise<Service> {
  const started = start(t, [main, 'serve'], {
    environment: { ...free, MOORING_DATA_DIR: dataDir, ...environment },
    ...options,
  })
  const { output, ended, process: child } = started
  const end: { code?: number | null } = {}
  void ended.then(({ code }) => (end.code = code))
  await until('the service is ready', () => {
    assert.equal(end.code, undefined, `it ended: ${output.stderr}`)
    return /^ {2}Data /m.test(output.stdout)
  })
  const said = (name: string): string =>
    new RegExp(`^ {2}${name} +(\\S+)$`, 'm').exec(output.stdout)?.[1] ?? ''
  const url = said('API')
  const { hostname, port } = new URL(said('MQTT'))
  return {
    ...started,
    origin: new URL(url).origin,
    mqtt: { host: hostname, port: Number(port) },
    call: (method, path, callOptions) => callUrl(`${url}${path}`, method, callOptions),
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

export interface Owner {
  email: string
  password: string
  workspace: string
}

/** The output of a first start. */
export function printedOwner({ output }: Pick<Service, 'output'>): Owner {
  const said = (name: string): string => {
    const found = new RegExp(`^ {2}${name} +(\\S.*)$`, 'm').exec(output.stdout)?.[1]
    assert.ok(found, `${name} was not printed: ${output.stdout}`)
    return found
  }
  return { email: said('Email'), password: said('Password'), workspace: said('Workspace') }
}

/**
 * Headers of the signed-in owner. A password that the service has made is changed first, in `owner`
 * too.
 */
export async function signIn(
  service: Pick<Service, 'call'>,
  owner: Owner,
): Promise<Record<string, string>> {
  const { email, password } = owner
  const response = await service.call('POST', '/auth/login', { body: { email, password } })
  assert.equal(response.status, 200, response.text)
  const headers = { authorization: `Bearer ${response.body.access_token}` }
  if (response.body.password_change_required === true) {
    const body = { current_password: password, new_password: `${password}-of-my-own` }
    const changed = await service.call('POST', '/auth/password', { headers, body })
    assert.equal(changed.status, 204, changed.text)
    owner.password = body.new_password
  }
  return headers
}
