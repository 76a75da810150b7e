/** `mooring backup` and `mooring restore`. */
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { LostChanges } from '../features/workspaces/installation/restored.ts'
import type { VerifiedBackup } from './backup/verify-backup.ts'
import type { BackupSecret } from '../platform/backup/encryption.ts'
import { ConfigError } from '../platform/config/kinds.ts'
import { ask } from './ask.ts'
import { addCommand, CommandFailure, print, readText, say } from './command.ts'
import { inColumns } from './table.ts'

interface SecretOptions {
  passphraseFile?: string
  keyFile?: string
}

/** @throws ConfigError for both kinds at once, or for an empty passphrase */
async function readSecret({
  passphraseFile,
  keyFile,
}: SecretOptions): Promise<BackupSecret | undefined> {
  if (passphraseFile !== undefined && keyFile !== undefined) {
    throw new ConfigError('give either --passphrase-file or --key-file')
  }
  if (keyFile !== undefined) {
    const { keysOfFile } = await import('../platform/backup/encryption.ts')
    return keysOfFile(readText('The file', keyFile), keyFile)
  }
  if (passphraseFile === undefined) return undefined
  const passphrase = readText('The file', passphraseFile).replace(/\r?\n$/, '')
  if (passphrase === '') throw new ConfigError('--passphrase-file names an empty file')
  return { kind: 'passphrase', passphrase }
}

type BackupOptions = SecretOptions & { json?: true }

async function backup(file: string, options: BackupOptions): Promise<void> {
  const { makeBackup } = await import('./backup/make-backup.ts')
  const made = await makeBackup(file, await readSecret(options))
  if (options.json) print(JSON.stringify(made))
}

/** The tables whose contents people know; `--verbose` lists all tables. */
function summaryOf(backup: VerifiedBackup, size: { rows: string; tables: number }): string {
  const { workspaces = 0, users = 0, devices = 0 } = backup.contents.rows
  const [of, accounts, made] = [workspaces, users, devices].map((n) => n.toLocaleString('en'))
  const whose = `workspaces: ${of}, accounts: ${accounts}, devices: ${made}`
  return `${size.rows} rows in ${size.tables} tables (${whose})`
}

async function verify(file: string, options: BackupOptions & { verbose?: true }): Promise<void> {
  const { sizeOf, verifyBackup } = await import('./backup/verify-backup.ts')
  const backup = await verifyBackup(file, await readSecret(options))
  const { header, contents } = backup
  const { mooring, started_at, postgres, master_keys } = header
  const { rows } = contents
  if (options.json) {
    return print(JSON.stringify({ mooring, started_at, postgres, master_keys, rows }))
  }
  if (options.verbose) {
    const found = Object.entries(rows).filter(([, count]) => count > 0)
    const lines = found.map(([table, count]) => [table, String(count)])
    print(inColumns(['table', 'rows'], lines))
  } else {
    print(summaryOf(backup, sizeOf(backup)))
  }
  say(`The backup of ${started_at}, made by version ${mooring} on Postgres ${postgres}, is good.`)
  say(`It needs the master key ${master_keys.map((key) => `${key.slice(0, 8)}…`).join(' or ')}.`)
}

async function makeKey(file: string): Promise<void> {
  const { newKeyFile } = await import('../platform/backup/encryption.ts')
  const { writePrivateFile } = await import('./installation/private-file.ts')
  const { text, publicKey } = await newKeyFile()
  if (!writePrivateFile(resolve(file), text, { replace: false })) {
    throw new CommandFailure(`${file} is there already: name a new file.`)
  }
  say(`${file} decrypts backups. Its public key is enough to make them:`)
  print(publicKey)
}

interface RestoreFlags extends SecretOptions {
  masterKeyFile?: string
  nothingLost?: true
  endSessions?: LostChanges['endSessions']
  skipInvoices?: number
  skipSerials: number
}

const WHOSE = ['none', 'people', 'all'] as const
const isWhose = (text: string): text is LostChanges['endSessions'] =>
  WHOSE.some((each) => each === text)

function readCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 0.')
}

const askWhose = (startedAt: string): Promise<LostChanges['endSessions']> =>
  ask(
    `Sessions that were ended after ${startedAt} are open again. End those of nobody, of people, ` +
      'or of all, which signs out phones permanently? [none, people, all; empty: people]',
    (answer) => (answer === '' ? 'people' : isWhose(answer) ? answer : undefined),
  )

const askInvoices = (startedAt: string): Promise<number> =>
  ask(
    `How many invoice numbers may have been issued after ${startedAt}? They are skipped. [empty: 100]`,
    (answer) => (answer === '' ? 100 : /^\d{1,9}$/.test(answer) ? Number(answer) : undefined),
  )

/** The events since the backup, by the options or by asking. */
async function decide(
  { header, contents }: VerifiedBackup,
  flags: RestoreFlags,
): Promise<LostChanges | undefined> {
  if (flags.nothingLost) return undefined
  const hasInvoices = (contents.rows.invoices ?? 0) > 0
  const invoices = flags.skipInvoices ?? (hasInvoices ? undefined : 0)
  const { endSessions } = flags
  if (!process.stdin.isTTY && (endSessions === undefined || invoices === undefined)) {
    throw new ConfigError(
      `The backup has nothing that happened after ${header.started_at}. Say what to do about it: ` +
        `--end-sessions${hasInvoices ? ' and --skip-invoices' : ''}; or --nothing-lost, if the ` +
        'service has not run since.',
    )
  }
  return {
    serials: flags.skipSerials,
    endSessions: endSessions ?? (await askWhose(header.started_at)),
    invoices: invoices ?? (await askInvoices(header.started_at)),
  }
}

async function restore(file: string, flags: RestoreFlags): Promise<void> {
  const { restoreBackup } = await import('./backup/restore-backup.ts')
  const { header } = await restoreBackup({
    path: file,
    secret: await readSecret(flags),
    masterKeyFile: flags.masterKeyFile,
    decide: (verified) => decide(verified, flags),
  })
  say(`The backup of ${header.started_at} is restored.`)
  if (flags.nothingLost) return
  say(
    'Before callers reach the service, revoke again what was revoked after that time: API keys, ' +
      'members, accounts, devices, claims. docs/operations.md says where to find what that was.',
  )
}

const withSecret = (command: Command): Command =>
  command
    .option('--passphrase-file <file>', 'a file whose first line is the passphrase')
    .option('--key-file <file>', 'a file with keys, as `backup make-key` writes it')

function addRestore(program: Command): void {
  const command = addCommand(program, 'restore', {
    summary: 'Restore a backup into an empty database',
    more:
      'The database is the one of DATABASE_URL, or a new one in MOORING_DATA_DIR. It is restored ' +
      'completely or not at all. The master key of the backup must be given: it is not in it. ' +
      'Everything after the backup is lost, so the command asks what to do about that, or ' +
      'reads options; event numbers are always skipped then.',
    examples: [
      'restore mooring.backup --master-key-file key.txt',
      'restore mooring.backup --nothing-lost',
      'restore mooring.backup --end-sessions people --skip-invoices 100',
    ],
    failsWhen:
      'the backup is damaged, cannot be decrypted, needs another master key or a newer version, ' +
      'or the database is not empty or not available',
  })
  withSecret(command.argument('<file>', 'the backup'))
    .option(
      '--master-key-file <file>',
      'a file with the master key; it is copied into the data folder',
    )
    .option('--nothing-lost', 'the service has not run since the backup: change nothing')
    .addOption(
      new Option('--end-sessions <whose>', 'end sessions, which may have been ended since').choices(
        WHOSE,
      ),
    )
    .option('--skip-invoices <count>', 'invoice numbers that may have been issued since', readCount)
    .option('--skip-serials <count>', 'serial numbers of each template, likewise', readCount, 1_000)
    .action(restore)
}

export function addBackup(program: Command): void {
  const group = addCommand(program, 'backup', {
    summary: 'Make or verify a backup',
    more:
      'Works with and without a running service, which it does not stop. The file has all rows of ' +
      'the database as they are at one moment; the master key is not in it. Encrypted with a ' +
      'passphrase or for a key, it is in the format of age.',
    examples: [
      'backup mooring.backup',
      'backup mooring.backup --passphrase-file passphrase.txt',
      'backup verify mooring.backup',
    ],
    failsWhen: 'the file is there already or cannot be written, or the database is not available',
  })
  // An option after the name of a subcommand belongs to the subcommand.
  withSecret(group.enablePositionalOptions().argument('<file>', 'the file to write'))
    .option('--json', 'print only one JSON object')
    .action(backup)
  const check = addCommand(group, 'verify', {
    summary: 'Verify that a backup is complete and undamaged',
    more: 'Reads all of it, and needs no database.',
    examples: [
      'backup verify mooring.backup',
      'backup verify mooring.backup --key-file backup.key',
    ],
    failsWhen: 'the backup is damaged, incomplete, or cannot be decrypted',
  })
  withSecret(check.argument('<file>', 'the backup'))
    .option('--verbose', 'print how many rows each table has')
    .option('--json', 'print only one JSON object')
    .action(verify)
  addCommand(group, 'make-key', {
    summary: 'Make a key that encrypts and decrypts backups',
    more: 'The private key decrypts backups; a file with only the printed public key makes them.',
    examples: ['backup make-key backup.key'],
    failsWhen: 'the file is there already, or cannot be written',
  })
    .argument('<file>', 'the file to write')
    .action(makeKey)
  addRestore(program)
}
