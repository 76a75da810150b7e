/** The command line: parses the arguments and runs one command. */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { root } from './app/project.ts'
import { sizeThreadPool } from './platform/config/thread-pool.ts'

sizeThreadPool()

// Every start but the first takes half the time; also for the code of the commands, so little of
// ours is loaded before. The folder is not a temporary one, in which other users could plant code.
// If it is not writable, nothing is cached.
enableCompileCache(fileURLToPath(new URL('node_modules/.cache/mooring', root)))
const { runProgram } = await import('./commands/program.ts')
await runProgram(process.argv)
