/** The interpreter of `micropython.ts`. It asks the main thread for whatever sockets do. */
import { readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'

/** The event that the program waits for. */
export interface Asked {
  name: 'open' | 'write' | 'poll' | 'read' | 'close'
  args: (string | number)[]
}

/** The memory of responses starts with two 32-bit numbers, at these places; then comes JSON. */
export const STATE = { responded: 0, length: 1, byteLength: 8 } as const
export const RESPONSE_BYTES = 1 << 20

interface Interpreter {
  FS: {
    writeFile(path: string, data: string): void
    readFile(path: string, options: { encoding: 'utf8' }): string
    readdir(path: string): string[]
    mkdir(path: string): void
  }
  registerJsModule(name: string, members: object): void
  runPython(text: string): void
}

interface InterpreterModule {
  loadMicroPython(options: {
    stdout: (line: string) => void
    linebuffer: true
    heapsize: number
  }): Promise<Interpreter>
}

/** Modules that a board has, or gets by `mip install`, and the sample device. */
const MODULES = {
  'socket.py': 'board/socket.py',
  'umqtt/simple.py': 'board/umqtt/simple.py',
  'device.py': '../../examples/firmware/micropython/device.py',
}

/** The program sees the current folder as its own, and what it stores there survives it. */
function shareFolder({ FS }: Interpreter): () => void {
  FS.mkdir('/board')
  let known = new Map<string, string>()
  for (const name of readdirSync('.')) {
    if (!name.endsWith('.json')) continue
    const text = readFileSync(name, 'utf8')
    FS.writeFile(`/board/${name}`, text)
    known.set(name, text)
  }
  return () => {
    const present = new Map<string, string>()
    for (const name of FS.readdir('/board').filter((each) => each.endsWith('.json'))) {
      const text = FS.readFile(`/board/${name}`, { encoding: 'utf8' })
      if (known.get(name) !== text) writeFileSync(name, text)
      present.set(name, text)
    }
    for (const name of known.keys()) if (!present.has(name)) rmSync(name)
    known = present
  }
}

async function run(): Promise<void> {
  const { interpreter, program, shared } = workerData as {
    interpreter: string
    program: string
    shared: SharedArrayBuffer
  }
  const url = pathToFileURL(join(interpreter, 'micropython.mjs')).href
  const module = (await import(url)) as InterpreterModule
  let storeFiles = (): void => {}
  const board = await module.loadMicroPython({
    stdout: (line) => {
      // On disk before anyone reads about it: the program may print after it has stored something.
      storeFiles()
      // The thread blocks, so nothing that is written asynchronously would appear.
      writeSync(1, `${line}\n`)
    },
    linebuffer: true,
    heapsize: 1 << 20,
  })
  storeFiles = shareFolder(board)
  const state = new Int32Array(shared, 0, 2)
  const ask = (name: Asked['name'], args: Asked['args']): unknown => {
    storeFiles()
    Atomics.store(state, STATE.responded, 0)
    parentPort?.postMessage({ name, args } satisfies Asked, [])
    Atomics.wait(state, STATE.responded, 0)
    const bytes = new Uint8Array(shared, STATE.byteLength, state[STATE.length])
    return JSON.parse(new TextDecoder().decode(bytes.slice())) as unknown
  }
  const names = ['open', 'write', 'poll', 'read', 'close'] as const
  board.registerJsModule(
    '_host',
    Object.fromEntries(
      names.map((name) => [name, (...args: Asked['args']) => ask(name, args)] as const),
    ),
  )
  board.FS.mkdir('/lib')
  board.FS.mkdir('/lib/umqtt')
  for (const [name, path] of Object.entries(MODULES)) {
    board.FS.writeFile(`/lib/${name}`, readFileSync(join(import.meta.dirname, path), 'utf8'))
  }
  board.FS.writeFile('/program.py', readFileSync(program, 'utf8'))
  board.runPython(`import os\nos.chdir("/board")\nexec(open("/program.py").read())`)
  storeFiles()
  console.log(basename(program), 'has ended')
}

if (parentPort !== null) await run()
