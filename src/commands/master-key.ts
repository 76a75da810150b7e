/** `mooring master-key`: replaces the master key, alongside running processes. */
import type { Command } from 'commander'
import type { FinishOptions } from './master-key/replace-master-key.ts'
import { addCommand, print, say } from './command.ts'

async function status({ json }: { json?: true }): Promise<void> {
  const { masterKeyState } = await import('./master-key/replace-master-key.ts')
  const state = await masterKeyState()
  if (json) return print(JSON.stringify(state))
  const { own, valid, rootKeys, processes, olderSessions } = state
  print(`master key\t${own}`)
  for (const other of valid) {
    if (other !== own)
      print(`also valid\t${other}, ${valid.at(-1) === other ? 'newer' : 'earlier'}`)
  }
  print(`root keys\t${rootKeys}`)
  print(`processes\t${processes.all}, ${processes.others} of which use another master key`)
  print(`sessions of an earlier root key\t${olderSessions.people + olderSessions.phones}`)
}

async function replace(): Promise<void> {
  const { replaceMasterKey } = await import('./master-key/replace-master-key.ts')
  say(await replaceMasterKey())
}

async function finish(options: FinishOptions): Promise<void> {
  const { finishReplacement } = await import('./master-key/replace-master-key.ts')
  await finishReplacement(options)
}

export function addMasterKey(program: Command): void {
  const group = program.command('master-key').summary('Replace the master key')
  group.description('The master key, which encrypts all other keys.')
  addCommand(group, 'status', {
    summary: 'Print which master keys are valid',
    more: 'Prints their fingerprints, and the remaining steps of a replacement.',
    examples: ['master-key status', 'master-key status --json'],
    failsWhen: 'the configured key is not valid, or the database is not available',
  })
    .option('--json', 'print only one JSON object')
    .action(status)
  addCommand(group, 'replace', {
    summary: 'Make another master key valid',
    more:
      'The earlier key stays valid until `finish`, so that processes can be restarted one by ' +
      'one. The new key is generated in the data folder, or is MOORING_NEW_MASTER_KEY. If the ' +
      'command is interrupted, run it again.',
    examples: ['master-key replace'],
    failsWhen: 'a replacement is in progress, or the database is not available',
  }).action(replace)
  addCommand(group, 'finish', {
    summary: 'Make the configured master key the only valid one',
    more:
      'First re-encrypts all stored secrets. Every process must run with this key. If the ' +
      'command is interrupted, run it again.',
    examples: ['master-key finish', 'master-key finish --replace-signing-keys'],
    failsWhen:
      'this is the earlier key, a process runs with another key, or the database is not ' +
      'available',
  })
    .option('--give-up', 'make the configured earlier key the only valid one again')
    .option(
      '--refuse-older-sessions',
      'also end sessions that were not refreshed since the replacement',
    )
    .option(
      '--replace-signing-keys',
      'also replace the keys that sign tokens; older tokens stay valid for an hour',
    )
    .action(finish)
}
