/**
 * Runs a MicroPython program, in the interpreter that its project publishes for WebAssembly. That
 * has no network: sockets of the program are sockets of this process, which does what a worker with
 * the interpreter waits for.
 *
 * Usage: node micropython.ts <folder of the interpreter> <program>; files of the current folder
 * are the program's.
 */
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { RESPONSE_BYTES, type Asked, STATE } from './micropython-worker.ts'

interface Open {
  socket: Socket
  received: Buffer
  isOver: boolean
  /** Called when there is something new. */
  wake: () => void
}

const opened: Open[] = []

function open(host: string, port: number): Promise<number> {
  const socket = connect(port, host)
  const entry: Open = { socket, received: Buffer.alloc(0), isOver: false, wake: () => {} }
  const number = opened.push(entry) - 1
  socket.on('data', (bytes) => {
    entry.received = Buffer.concat([entry.received, bytes])
    entry.wake()
  })
  socket.on('close', () => {
    entry.isOver = true
    entry.wake()
  })
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(number))
    socket.once('error', () => resolve(-1))
  })
}

/** Resolves when the condition holds, or after that time. */
function awaits(entry: Open, isReady: () => boolean, timeoutMs: number): Promise<boolean> {
  if (isReady()) return Promise.resolve(true)
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), timeoutMs)
    entry.wake = () => {
      if (!isReady()) return
      clearTimeout(timer)
      resolve(true)
    }
  })
}

/** @returns what the program gets: a number, or bytes in hexadecimal; -1 and '-' are errors */
async function perform({ name, args }: Asked): Promise<number | string> {
  if (name === 'open') return open(String(args[0]), Number(args[1]))
  const entry = opened[Number(args[0])]
  if (entry === undefined) return -1
  switch (name) {
    case 'write':
      if (entry.isOver) return -1
      entry.socket.write(Buffer.from(String(args[1]), 'hex'))
      return 0
    case 'poll':
      return (await awaits(entry, () => entry.isOver || entry.received.length > 0, 50)) ? 1 : 0
    case 'read': {
      const count = Number(args[1])
      const isReady = () => entry.isOver || (count >= 0 && entry.received.length >= count)
      if (!(await awaits(entry, isReady, 10_000))) return '-'
      const end = count < 0 ? entry.received.length : count
      const bytes = entry.received.subarray(0, end)
      entry.received = entry.received.subarray(end)
      return bytes.toString('hex')
    }
    default:
      entry.socket.end()
      return 0
  }
}

const [interpreter, program] = process.argv.slice(2)
const shared = new SharedArrayBuffer(RESPONSE_BYTES)
const worker = new Worker(new URL('micropython-worker.ts', import.meta.url), {
  workerData: { interpreter, program, shared },
})
worker.on('message', (asked: Asked) => {
  void perform(asked).then((answer) => {
    const bytes = new TextEncoder().encode(JSON.stringify(answer))
    new Uint8Array(shared).set(bytes, STATE.byteLength)
    const state = new Int32Array(shared, 0, 2)
    state[STATE.length] = bytes.length
    Atomics.store(state, STATE.responded, 1)
    Atomics.notify(state, STATE.responded)
  })
})
worker.on('error', (error) => {
  console.error(error)
  process.exit(1)
})
worker.on('exit', (code) => process.exit(code))
