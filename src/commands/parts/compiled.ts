/**
 * Enables Node's compile cache beside the packages, so that every start but the first takes half
 * the time. If it is not writable, nothing is cached. NODE_COMPILE_CACHE selects another folder,
 * NODE_DISABLE_COMPILE_CACHE disables it. Not in the temporary folder, where others could plant
 * code.
 */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

const folder = new URL('../../../node_modules/.cache/mooring', import.meta.url)

/** Affects everything loaded from here on, which is nearly all of a command. */
export function keepCompiled(): void {
  enableCompileCache(fileURLToPath(folder))
}
