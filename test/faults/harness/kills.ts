/** Kills the service, its Postgres, or a single process of it, and waits until all is up again. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findEmbeddedPostgres } from '../../../src/platform/database/embedded.ts'
import { serverProcesses } from '../../support/embedded.ts'
import type { startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { pick, type World } from './world.ts'

/** The last one kills the service while its Postgres recovers from the loss of a backend. */
export type Target = 'service' | 'postgres' | 'backend' | 'backend and service'

const targets: readonly Target[] = ['service', 'postgres', 'backend']
/** The share of the last one: Postgres may hang then, and needs ten seconds to end. */
const BOTH = 0.08

export const pickTarget = (random: () => number): Target =>
  random() < BOTH ? 'backend and service' : (pick(random, targets) ?? 'service')

const parentOf = (pid: number): number => {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return 0
  }
}

function killProcess(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended by itself, as a backend may.
  }
}

/** Long after a server has ended all connections because one of its processes was killed. */
const NOTICED_MS = 5_000

/** @returns what resolves when the server has ended its connections */
async function watchConnection(dataDir: string): Promise<{ lost: Promise<unknown> }> {
  const client = new pg.Client(await findEmbeddedPostgres(dataDir))
  client.on('error', () => {})
  await client.connect()
  const ended = new Promise((resolve) => client.once('end', resolve))
  const lost = Promise.race([ended, sleep(NOTICED_MS)]).then(() => client.end())
  return { lost }
}

const LONGEST_RECOVERY_MS = 300

/** Sends SIGKILL, and waits until it has taken effect. */
export async function kill(world: World, target: Target, random: () => number): Promise<void> {
  if (target === 'service') {
    await world.service.stop('SIGKILL')
    return
  }
  const { lost } = await watchConnection(world.dataDir)
  const all = await serverProcesses(join(world.dataDir, 'postgres'))
  const postmaster = all.find((pid) => !all.includes(parentOf(pid)))
  const others = all.filter((pid) => pid !== postmaster)
  killProcess(target === 'postgres' ? postmaster : pick(random, others))
  await lost
  if (target !== 'backend and service') return
  await sleep(random() * LONGEST_RECOVERY_MS)
  await world.service.stop('SIGKILL')
}

/** The message of the service before it gives up on a Postgres that ends again and again. */
const GAVE_UP = /ended \d+ times within a minute/
const READY_MS = 120_000

const hasEnded = ({ service }: World): boolean =>
  service.process.exitCode !== null || service.process.signalCode !== null

/** Starts the service if it has ended, and waits until it answers. */
export async function bringBack(
  world: World,
  target: Target | undefined,
  start: (dataDir: string) => ReturnType<typeof startService>,
): Promise<void> {
  const restart = async (): Promise<void> => {
    await world.service.ended
    const { stderr } = world.service.output
    const isKilled = target === 'service' || target === 'backend and service'
    if (!isKilled && !GAVE_UP.test(stderr)) {
      world.violate(`the service ended by itself: ${stderr.slice(-2_000)}`)
    }
    world.service = await start(world.dataDir)
  }
  await until(
    'the service responds',
    async () => {
      if (hasEnded(world)) await restart()
      const response = await world.ask('GET', world.place.path).catch(() => undefined)
      if (response?.status !== 200) return false
      return world.rows('SELECT').then(
        () => true,
        () => false,
      )
    },
    READY_MS,
  )
}
