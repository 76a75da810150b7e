/** The service as a process of its own, as people start it: `npm start` on free ports. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const TIMEOUT_MS = 60_000

const common = {
  MOORING_HTTP_PORT: '0',
  MOORING_OPERATOR_PORT: '0',
  MOORING_MQTT_PORT: '0',
  // As `npm start` does.
  NODE_COMPILE_CACHE: 'node_modules/.cache/mooring',
}

export interface Serving {
  pid: number
  ports: { http: number; mqtt: number }
  /** Ends it, and waits for its end. */
  stop(): Promise<void>
}

/**
 * Starts it and waits until it says that it is ready.
 * @param environment besides the ports
 */
export async function startServing(environment: Record<string, string>): Promise<Serving> {
  const child = spawn(process.execPath, ['packaging/start.ts', 'serve'], {
    cwd: root,
    env: { PATH: process.env.PATH, ...common, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const ready = Promise.withResolvers<void>()
  let said = ''
  child.stdout.on('data', (text: Buffer) => {
    said += text.toString()
    if (/^ {2}Data /m.test(said)) ready.resolve()
  })
  child.once('close', () => ready.reject(new Error(`the service has ended: ${said}`)))
  const late = setTimeout(() => ready.reject(new Error('it is not ready')), TIMEOUT_MS)
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  try {
    await ready.promise
  } catch (error) {
    await stop()
    throw error
  } finally {
    clearTimeout(late)
  }
  const portOf = (name: string): number =>
    Number(new RegExp(`^ {2}${name} .*:(\\d+)`, 'm').exec(said)?.[1] ?? 0)
  return { pid: child.pid ?? 0, ports: { http: portOf('API'), mqtt: portOf('MQTT') }, stop }
}
