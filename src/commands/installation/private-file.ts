/** Atomically writes files that only their owner may read. */
import {
  chownSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../../platform/lib/system-errors.ts'

export interface Written {
  /** False: an existing file is left unchanged. */
  replace: boolean
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/**
 * Writes the file with mode 0600 in a folder that is there; durable on return.
 * @returns false if `replace` is false and the file exists
 */
export function writePrivateFile(path: string, text: string, { replace }: Written): boolean {
  const folder = dirname(path)
  const temporary = `${path}.${process.pid}.new`
  rmSync(temporary, { force: true })
  const descriptor = openSync(temporary, 'wx', 0o600)
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
    // A file that root creates in another user's folder is given to that user.
    if (process.geteuid?.() === 0) {
      const { uid, gid } = statSync(folder)
      chownSync(temporary, uid, gid)
    }
    if (replace) renameSync(temporary, path)
    // Unlike a rename, a link fails if the name exists: of two writers one wins.
    else linkSync(temporary, path)
  } catch (error) {
    if (!replace && codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    closeSync(descriptor)
    rmSync(temporary, { force: true })
  }
  syncFolder(folder)
  return true
}
