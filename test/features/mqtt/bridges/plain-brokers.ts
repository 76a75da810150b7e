/** Brokers that ask nobody: everything is allowed, so that what is tested is what we make of it. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Aedes } from 'aedes'
import { freePorts } from '../../../adapters/broker/free-ports.ts'
import { brokersFile } from '../../../adapters/broker/hooks/ask-hooks.ts'
import { listens, startProgram } from '../../../adapters/broker/start-program.ts'
import { defer } from '../../../support/cleanup.ts'

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

async function startMosquitto(t: Cleanup): Promise<number> {
  const [port = 0] = await freePorts(1)
  const folder = mkdtempSync(join(tmpdir(), 'mooring-mosquitto-'))
  // As root it continues as a user of its own, who has to read its settings.
  chmodSync(folder, 0o755)
  const settings = join(folder, 'mosquitto.conf')
  writeFileSync(settings, `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence false\n`)
  const program = startProgram('mosquitto', ['-c', settings])
  defer(t, async () => {
    await program.stop()
    rmSync(folder, { recursive: true })
  })
  await listens(port, program)
  return port
}

const hasMosquitto = spawnSync('mosquitto', ['-h']).error === undefined
const isRequired = process.env.MOORING_TEST_BROKERS === '1'

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
    skip: hasMosquitto || isRequired ? false : 'mosquitto is not installed',
    start: startMosquitto,
  },
]

/** The file of a broker on this port with a bridge; it is gone after the suite. */
export function bridgedBroker(name: string, port: number): { file: string; url: string } {
  const url = `mqtt://127.0.0.1:${port}`
  const hook_secrets = ['a-secret-of-the-hooks-0123456789abcdef']
  const login = { url, username: 'mooring', password: 'a very long password' }
  return {
    file: brokersFile([{ name, kind: 'mosquitto-go-auth', hook_secrets, mqtt: login }]),
    url,
  }
}
