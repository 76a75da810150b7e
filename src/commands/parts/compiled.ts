/**
 * Keeps what Node compiles from the sources beside the packages, so that every start but the first
 * takes half the time. Whatever can't be written there is compiled again. Node's own variables go
 * before: NODE_COMPILE_CACHE names another folder, NODE_DISABLE_COMPILE_CACHE does without. It is
 * not the folder for temporary files, where others could put code.
 */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

const folder = new URL('../../../node_modules/.cache/mooring', import.meta.url)

/** From here on: what a command loads for itself, which is nearly all. */
export function keepCompiled(): void {
  enableCompileCache(fileURLToPath(folder))
}
