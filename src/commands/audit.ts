/** `mooring audit`: verifies exported audit logs. */
import type { Command } from 'commander'
import { addCommand, CommandFailure, print, say } from './parts/command.ts'

async function verify(file: string, options: { anchors?: string }): Promise<void> {
  const { createReadStream, readFileSync } = await import('node:fs')
  const { createInterface } = await import('node:readline')
  const { readAnchors, verifyExport } = await import('../features/audit/audit-log-offline.ts')
  const { anchors: path } = options
  const texts = path === undefined ? [] : readFileSync(path, 'utf8').split('\n').filter(Boolean)
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
  const found = await verifyExport(lines, readAnchors(texts)).catch((error: unknown) => {
    throw new CommandFailure(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  })
  const { workspaceId, from, to, headHash, beginsOnTrust, anchors } = found
  say(
    `Entries ${from} to ${to} of ${workspaceId} are as they were sealed; ${anchors} were anchored.`,
  )
  if (beginsOnTrust) say(`Entry ${from} itself is taken for granted: what came before is not here.`)
  print(headHash)
}

export function addAudit(program: Command): void {
  const audit = program.command('audit').summary('Verify exported audit logs')
  audit.description('Audit logs that were exported.')
  addCommand(audit, 'verify <file>', {
    summary: 'Verify an exported audit log',
    more:
      'Computes the hash chain anew from the lines of an export, without the service and without ' +
      'its keys, and prints the hash of the last entry. With a file of anchors it also looks for ' +
      'each that is of this part; without one, somebody with all keys could have made the export up.',
    examples: [
      'audit verify audit-log.ndjson',
      'audit verify audit-log.ndjson --anchors anchors.ndjson',
    ],
    failsWhen: 'an entry was altered, is missing, or is not the one that was anchored',
  })
    .option('--anchors <file>', 'anchors that were kept, a JSON object a line')
    .action(verify)
}
