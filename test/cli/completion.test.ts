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

const skip = !existsSync('/bin/bash') && 'there is no bash'

test('bash completes what is typed', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-completion-'))
  defer(t, () => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(main, join(folder, 'mooring'))
  symlinkSync(process.execPath, join(folder, 'node'))
  const script = `
    source <(mooring completion bash)
    COMP_WORDS=(mooring devices im) COMP_CWORD=2
    _mooring
    echo "\${COMPREPLY[@]}"`
  const env = bare({ PATH: `${folder}:${process.env.PATH}` })
  const { stdout } = await run('/bin/bash', ['-c', script], { env })
  assert.equal(stdout, 'import\n')
})

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
