/** Completion asks the program itself, and every command explains itself. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { defer } from '../support/cleanup.ts'
import { bare } from '../support/service.ts'
import type { Command } from 'commander'
import { createProgram } from '../../cli/program.ts'
import { main, useCli } from './run-cli.ts'

const run = promisify(execFile)

test('commands, options and values are completed', async (t) => {
  const cli = useCli(t)
  const complete = async (...words: string[]) =>
    (await cli.run(['complete', '--', ...words])).stdout.split('\n').filter((each) => each !== '')
  assert.deepEqual(await complete('dev'), ['devices'])
  assert.deepEqual(await complete('devices', 'e'), ['export'])
  assert.deepEqual(await complete('devices', 'list', '--fil'), ['--filter'])
  assert.deepEqual(await complete('devices', 'list', '--output', ''), ['json', 'ndjson', 'table'])
})

test('no option of a command has the name of an option of all commands', () => {
  const program = createProgram()
  const flagsOf = ({ options }: Command): string[] =>
    options.flatMap(({ long, short }) => [long, short].filter((flag) => flag != null))
  const taken = new Set(flagsOf(program))
  const below = (command: Command): Command[] =>
    command.commands.flatMap((each) => [each, ...below(each)])
  const clashes = below(program).flatMap((command) =>
    flagsOf(command)
      .filter((flag) => taken.has(flag))
      .map((flag) => `${command.parent?.name()} ${command.name()} ${flag}`),
  )
  assert.ok(below(program).length > 60)
  assert.deepEqual(clashes, [])
})

/** Each completes `mooring devices im` as its users do, and prints that. */
const shells = {
  bash: `
    source <(mooring completion bash)
    COMP_WORDS=(mooring devices im) COMP_CWORD=2
    _mooring
    echo "\${COMPREPLY[@]}"`,
  // A terminal, in which Tab is pressed, and then a key that prints what stands there.
  zsh: `
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u -D; source <(mooring completion zsh)
      show() { print -r -- "<""<$BUFFER>>" }; zle -N show; bindkey "^X" show; print re""ady'
    zpty -r shell seen '*ready*'
    zpty -w -n shell $'mooring devices im\t\x18'
    zpty -r shell seen '*<<*>>*'
    zpty -d shell
    print -r -- \${\${=\${seen##*<<}%%>>*}[3]}`,
  fish: `
    mooring completion fish | source
    complete -C 'mooring devices im'`,
}

for (const [shell, script] of Object.entries(shells)) {
  const skip = !existsSync(`/usr/bin/${shell}`) && `there is no ${shell}`
  test(`${shell} completes what is typed`, { skip, timeout: 120_000 }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'mooring-completion-'))
    defer(t, () => rmSync(folder, { recursive: true, force: true }))
    symlinkSync(main, join(folder, 'mooring'))
    symlinkSync(process.execPath, join(folder, 'node'))
    // Nothing that the person at this machine has set up for a shell.
    const env = bare({ PATH: `${folder}:${process.env.PATH}`, HOME: folder })
    const { stdout } = await run(`/usr/bin/${shell}`, ['-c', script], { env })
    assert.equal(stdout, 'import\n')
  })
}

test('every command has a help with a summary', async (t) => {
  const cli = useCli(t)
  const { stdout } = await cli.run(['--help'])
  const names = [...stdout.matchAll(/^ {2}([a-z]+)\b(?= {2}| \[| <)/gm)].map(([, name]) => name)
  assert.ok(names.length > 15, names.join())
  for (const line of stdout.split('\nCommands:\n')[1]?.split('\n\n')[0]?.split('\n') ?? []) {
    assert.match(line, /^ {2,}\S/)
  }
  const help = await cli.run(['devices', 'import', '--help'])
  assert.match(help.stdout, /one JSON object in each line/)
})
