/** `mooring master-key`: replaces the master key, beside running processes. */
import type { Command } from 'commander'
import { addCommand, print, say } from './parts/command.ts'

async function status({ json }: { json?: true }): Promise<void> {
  const { masterKeyState } = await import('./parts/replace-master-key.ts')
  const state = await masterKeyState()
  if (json) return print(JSON.stringify(state))
  const { own, valid, rootKeys, processes, olderSessions } = state
  print(`master key\t${own}`)
  for (const other of valid) {
    if (other !== own)
      print(`also valid\t${other}, ${valid.at(-1) === other ? 'newer' : 'earlier'}`)
  }
  print(`root keys\t${rootKeys}`)
  print(`processes\t${processes.all}, ${processes.others} of them with another master key`)
  print(`sessions of an earlier root key\t${olderSessions.people + olderSessions.phones}`)
}

async function replace(): Promise<void> {
  const { replaceMasterKey } = await import('./parts/replace-master-key.ts')
  say(await replaceMasterKey())
}

interface Finish {
  giveUp?: true
  refuseOlderSessions?: true
  replaceSigningKeys?: true
}

async function finish(options: Finish): Promise<void> {
  const { finishReplacement } = await import('./parts/replace-master-key.ts')
  await finishReplacement({
    giveUp: options.giveUp === true,
    refuseOlderSessions: options.refuseOlderSessions === true,
    replaceSigningKeys: options.replaceSigningKeys === true,
  })
}

export function addMasterKey(program: Command): void {
  const group = program.command('master-key').summary('Replace the master key')
  group.description('The master key, which opens all others.')
  addCommand(group, 'status', {
    summary: 'Print which master keys are valid',
    more: 'By their fingerprints, with what a replacement still waits for.',
    examples: ['master-key status', 'master-key status --json'],
    failsWhen: 'the key of this place is not valid, or the database is away',
  })
    .option('--json', 'print one JSON object, and nothing else')
    .action(status)
  addCommand(group, 'replace', {
    summary: 'Make another master key valid',
    more:
      'The earlier one stays valid until `finish`, so that processes can be started again one by ' +
      'one. The new key is made in the data folder, or is MOORING_NEW_MASTER_KEY. Whatever stops ' +
      'this command, run it again.',
    examples: ['master-key replace'],
    failsWhen: 'a replacement is under way, or the database is away',
  }).action(replace)
  addCommand(group, 'finish', {
    summary: 'Make the master key of this place the only valid one',
    more:
      'Seals all stored secrets anew first. Every process has to run with this key. Whatever ' +
      'stops this command, run it again.',
    examples: ['master-key finish', 'master-key finish --replace-signing-keys'],
    failsWhen: 'this is the earlier key, a process runs with another, or the database is away',
  })
    .option('--give-up', 'make the earlier key the only one again, which is the one of this place')
    .option('--refuse-older-sessions', 'also end sessions that were not refreshed since')
    .option('--replace-signing-keys', 'also sign tokens with new keys; older tokens last an hour')
    .action(finish)
}
