/** A limit for CONNECTs and messages: Mosquitto with a file of passwords and one of rules. */
import { type ChildProcess, spawn } from 'node:child_process'
import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { respondCalls } from '../support/worker.ts'

const MOSQUITTO = '/usr/sbin/mosquitto'

export interface User {
  id: string
  mqttPassword: string
}

/** What mosquitto_passwd writes by default. */
const ITERATIONS = 101
const HASH_BYTES = 64
const SALT_BYTES = 12

function hashed({ id, mqttPassword }: User): string {
  const salt = randomBytes(SALT_BYTES)
  const hash = pbkdf2Sync(mqttPassword, salt, ITERATIONS, HASH_BYTES, 'sha512')
  return `${id}:$7$${ITERATIONS}$${salt.toString('base64')}$${hash.toString('base64')}\n`
}

const RULES = 'pattern write bench/%u/#\npattern read bench/#\n'

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

const methods = {
  /** @returns the port. */
  async start({ users }: { users: readonly User[] }): Promise<number> {
    folder = mkdtempSync(join(tmpdir(), 'mooring-bench-'))
    const port = await freePort()
    const file = (name: string, text: string): string => {
      const path = join(folder ?? '', name)
      writeFileSync(path, text, { mode: 0o600 })
      return path
    }
    const configuration = `
listener ${port} 127.0.0.1
user ${userInfo().username}
allow_anonymous false
password_file ${file('passwords', users.map(hashed).join(''))}
acl_file ${file('rules', RULES)}
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
