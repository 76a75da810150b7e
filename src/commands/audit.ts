/** `mooring audit`: verifies exported audit logs. */
import type { Command } from 'commander'
import { describeSystemError } from '../platform/lib/system-errors.ts'
import { addCommand, CommandFailure, print, say } from './command.ts'

/** The fault of a file: it can't be read, or its content is wrong. */
const failureOf = (file: string, error: unknown): CommandFailure => {
  const isUnread = (error as NodeJS.ErrnoException).syscall !== undefined
  const what = describeSystemError(error)
  return new CommandFailure(isUnread ? `${file} cannot be read: ${what}.` : `${file}: ${what}`)
}

async function verify(file: string, options: { anchors?: string }): Promise<void> {
  const { createReadStream } = await import('node:fs')
  const { readFile } = await import('node:fs/promises')
  const { createInterface } = await import('node:readline')
  const { readAnchors, verifyExport } = await import('../features/audit/log/audit-log-offline.ts')
  const { anchors: path } = options
  const read = (): Promise<string> =>
    path === undefined ? Promise.resolve('') : readFile(path, 'utf8')
  const anchors = await read()
    .then((text) => readAnchors(text.split('\n').filter(Boolean)))
    .catch((error: unknown) => {
      throw failureOf(String(path), error)
    })
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
  const found = await verifyExport(lines, anchors).catch((error: unknown) => {
    throw failureOf(file, error)
  })
  const { workspaceId, from, to, headHash, beginsOnTrust, anchors: anchored } = found
  say(`Entries ${from} to ${to} of ${workspaceId} match the hash chain; ${anchored} were anchored.`)
  if (beginsOnTrust)
    say(`Entry ${from} itself is trusted: the file does not contain earlier entries.`)
  print(headHash)
}

export function addAudit(program: Command): void {
  const audit = program.command('audit').summary('Verify exported audit logs')
  audit.description('Exported audit logs.')
  addCommand(audit, 'verify <file>', {
    summary: 'Verify an exported audit log',
    more:
      'Recomputes the hash chain from the lines of an export, without the service and its ' +
      'keys, and prints the hash of the last entry. With a file of anchors it also checks ' +
      'each anchor within the export. Without anchors the export could be a forgery by ' +
      'somebody who has all keys.',
    examples: [
      'audit verify audit-log.ndjson',
      'audit verify audit-log.ndjson --anchors anchors.ndjson',
    ],
    failsWhen: 'an entry was changed, is missing, or differs from its anchor',
  })
    .option('--anchors <file>', 'stored anchors, one JSON object per line')
    .action(verify)
}
