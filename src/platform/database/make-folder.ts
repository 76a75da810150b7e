/** Makes a folder together with those above it. */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../lib/system-errors.ts'

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Like `mkdir -p`; an existing folder keeps its mode. `recursive` of Node's own mkdir never returns
 * where a file system answers ENOENT for a folder whose parent exists, as /proc does.
 * @throws the error of the system, for the first folder that cannot be made
 */
export function makeFolder(path: string, mode: number): void {
  if (isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path && !existsSync(parent)) makeFolder(parent, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have been faster.
    if (codeOf(error) !== 'EEXIST' || !isFolder(path)) throw error
  }
}
