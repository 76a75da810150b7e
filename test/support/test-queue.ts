/**
 * The test files of a run, which a few processes take one after the other: the process of each, and
 * which have ended. A folder keeps it, as files that are made once, so that the files after a crash
 * still name the test file that it happened in.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Names the folder, in the environment of the processes. */
export const TURNS_FOLDER = 'MOORING_TEST_TURNS'

/** For what hangs; a busy machine takes long over what doesn't. */
export const FILE_TIMEOUT_MS = 900_000
/** For what is left to be cleaned up after a timeout, or at the end. */
export const GRACE_MS = 30_000

const LIST = 'files.json'
const taken = (index: number): string => `${index}.taken`
const ended = (index: number): string => `${index}.ended`

/** Writes down what there is to run, in the order in which it is taken. */
export function announceFiles(folder: string, files: readonly string[]): void {
  mkdirSync(folder)
  writeFileSync(join(folder, LIST), JSON.stringify(files))
}

const filesOf = (folder: string): string[] =>
  JSON.parse(readFileSync(join(folder, LIST), 'utf8')) as string[]

/** Makes the file, which only one process manages to. */
function make(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Each file that is left when its turn comes; asking for the next one ends the one before. */
export function* takeFiles(folder: string): Generator<string> {
  for (const [index, file] of filesOf(folder).entries()) {
    if (!make(join(folder, taken(index)))) continue
    yield file
    make(join(folder, ended(index)))
  }
}

export interface Unfinished {
  file: string
  /** The process that has taken it, and since when, in milliseconds; undefined if none has. */
  taken?: { pid: number; at: number }
}

/** The files not run to their end, so far. */
export function unfinished(folder: string): Unfinished[] {
  return filesOf(folder).flatMap((file, index) => {
    if (existsSync(join(folder, ended(index)))) return []
    const path = join(folder, taken(index))
    if (!existsSync(path)) return [{ file }]
    return [
      { file, taken: { pid: Number(readFileSync(path, 'utf8')), at: statSync(path).mtimeMs } },
    ]
  })
}
