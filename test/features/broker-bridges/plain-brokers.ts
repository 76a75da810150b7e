/** Brokers that ask nobody: everything is allowed, so that what is tested is what we make of it. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Aedes } from 'aedes'
import { defer } from '../../support/cleanup.ts'
import { until } from '../../support/until.ts'

type Cleanup = Pick<TestContext, 'after'>

async function startAedes(t: Cleanup): Promise<number> {
  const aedes = new Aedes()
  await aedes.listen()
  const server = createServer((socket) => void aedes.handle(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  defer(t, async () => {
    server.close()
    await new Promise<void>((resolve) => aedes.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

async function startMosquitto(t: Cleanup): Promise<number> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'mooring-mosquitto-'))
  // As root it goes on as a user of its own, who has to read its settings.
  chmodSync(folder, 0o755)
  const settings = join(folder, 'mosquitto.conf')
  writeFileSync(settings, `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence false\n`)
  const child = spawn('mosquitto', ['-c', settings], { stdio: 'ignore' })
  defer(t, async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    rmSync(folder, { recursive: true })
  })
  await until('Mosquitto listens', () => answers(port))
  return port
}

const hasMosquitto = spawnSync('mosquitto', ['-h']).error === undefined
const isDemanded = process.env.MOORING_TEST_BROKERS === '1'

export interface PlainBroker {
  name: string
  /** Why it can't be had here; false when it can. */
  skip: string | false
  start: (t: Cleanup) => Promise<number>
}

export const plainBrokers: readonly PlainBroker[] = [
  { name: 'aedes', skip: false, start: startAedes },
  {
    name: 'mosquitto',
    skip: hasMosquitto || isDemanded ? false : 'mosquitto is not installed',
    start: startMosquitto,
  },
]
