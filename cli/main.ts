#!/usr/bin/env node
/** The command line for users of a service, by its API. */
import { reportFailure } from './failure.ts'
import { createProgram } from './program.ts'

// A reader may stop early, as `head` does.
process.stdout.on('error', () => process.exit(0))
process.on('SIGINT', () => process.exit(130))
try {
  await createProgram().parseAsync(process.argv)
} catch (error) {
  process.exitCode = reportFailure(error)
}
