/**
 * A limit for CONNECTs and messages: Mosquitto, which knows its users by a file of passwords and
 * one of rules, or by dynamic security, where each has a role of its own with a device's rules.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { accessListOf } from '../../src/adapters/broker/mosquitto-dynsec/access-list.ts'
import { roleOf } from '../../src/adapters/broker/mosquitto-dynsec/principals.ts'
import { deviceRules } from '../support/device-rules.ts'
import { respondCalls } from '../support/worker.ts'

const MOSQUITTO = '/usr/sbin/mosquitto'
const [DYNAMIC_SECURITY = ''] = globSync('/usr/lib/*/mosquitto_dynamic_security.so')

export interface User {
  id: string
  mqttPassword: string
}

/** The default of mosquitto_passwd, and of dynamic security. */
const ITERATIONS = 101
const HASH_BYTES = 64
const SALT_BYTES = 12

function hashOf({ mqttPassword }: User): { salt: string; password: string } {
  const salt = randomBytes(SALT_BYTES)
  const hash = pbkdf2Sync(mqttPassword, salt, ITERATIONS, HASH_BYTES, 'sha512')
  return { salt: salt.toString('base64'), password: hash.toString('base64') }
}

/** A line of the file of passwords. */
function lineOf(user: User): string {
  const { salt, password } = hashOf(user)
  return `${user.id}:$7$${ITERATIONS}$${salt}$${password}\n`
}

const RULES = 'pattern write bench/%u/#\npattern read bench/#\n'

/** The file of dynamic security, as our adapter would have the plugin write it. */
const rightsOf = (users: readonly User[]): string =>
  JSON.stringify({
    defaultACLAccess: {
      publishClientSend: false,
      publishClientReceive: false,
      subscribe: false,
      unsubscribe: true,
    },
    clients: users.map((user) => ({
      username: user.id,
      clientid: user.id,
      roles: [{ rolename: roleOf(user.id) }],
      iterations: ITERATIONS,
      ...hashOf(user),
    })),
    roles: users.map(({ id }) => ({ rolename: roleOf(id), acls: accessListOf(deviceRules(id)) })),
  })

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function listens(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await sleep(100)
  }
  throw new Error('Mosquitto does not listen.')
}

let broker: ChildProcess | undefined
let folder: string | undefined

/** How the broker knows its users. */
type Knowledge = 'files' | 'dynamic security'

const methods = {
  /** @returns the port; undefined where it is not installed. */
  async start(argument: { users: readonly User[]; by: Knowledge }): Promise<number | undefined> {
    const { users, by } = argument
    const needed = by === 'files' ? [MOSQUITTO] : [MOSQUITTO, DYNAMIC_SECURITY]
    if (!needed.every((path) => existsSync(path))) return undefined
    folder = mkdtempSync(join(tmpdir(), 'mooring-bench-'))
    const port = await freePort()
    const file = (name: string, text: string): string => {
      const path = join(folder ?? '', name)
      writeFileSync(path, text, { mode: 0o600 })
      return path
    }
    const knowledge =
      by === 'files'
        ? `password_file ${file('passwords', users.map(lineOf).join(''))}
acl_file ${file('rules', RULES)}`
        : `plugin ${DYNAMIC_SECURITY}
plugin_opt_config_file ${file('dynamic-security.json', rightsOf(users))}`
    const configuration = `
listener ${port} 127.0.0.1
user ${userInfo().username}
allow_anonymous false
${knowledge}
set_tcp_nodelay true
max_inflight_messages 0
max_queued_messages 0
log_type error
`
    broker = spawn(MOSQUITTO, ['-c', file('mosquitto.conf', configuration)], { stdio: 'ignore' })
    await listens(port)
    return port
  },
}
export type MosquittoProgram = typeof methods

respondCalls(methods, async () => {
  broker?.kill()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})
