/** The words of the command line: the help of each command, and its refusal of unknown words. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operations } from '../../src/operations.ts'
import { runMooring } from '../support/service.ts'

const commands = [
  ['serve'],
  ['status'],
  ['migrate'],
  ['accounts', 'create'],
  ['accounts', 'list'],
  ['accounts', 'set-email'],
  ['accounts', 'disable'],
  ['accounts', 'enable'],
  ['accounts', 'reset-password'],
  ['keys', 'create'],
  ['keys', 'list'],
  ['invitations', 'list'],
  ['workspaces', 'list'],
  ['workspaces', 'restore'],
  ['backup'],
  ['backup', 'verify'],
  ['restore'],
  ['routes'],
  ['openapi'],
  ['config'],
]

describe('the help', { concurrency: 2 }, () => {
  for (const command of commands) {
    test(`of ${command.join(' ')} has an example and the exit codes`, async (t) => {
      const { code, stdout } = await runMooring(t, [...command, '--help'])
      assert.equal(code, 0)
      assert.match(stdout, new RegExp(`^Usage: mooring ${command.join(' ')}`))
      assert.match(stdout, new RegExp(`npm run -s mooring -- ${command.join(' ')}`))
      assert.match(stdout, /Exit codes:\n {2}0 {2}success\n {2}1 {2}\S/)
    })
  }

  test('is shown for an unknown command, which exits with 2', async (t) => {
    const command = await runMooring(t, ['serv'])
    assert.equal(command.code, 2)
    assert.match(command.stderr, /unknown command 'serv'/)
    assert.match(command.stderr, /Did you mean serve\?/)
    assert.match(command.stderr, /^ {2}migrate /m)
    const option = await runMooring(t, ['migrate', '--dry'])
    assert.equal(option.code, 2)
    assert.match(option.stderr, /unknown option '--dry'/)
    assert.match(option.stderr, /--dry-run/)
  })

  test('is shown for a value or an option that is missing', async (t) => {
    const kind = await runMooring(t, ['keys', 'create', '--workspace', 'main', '--kind', 'x'])
    assert.equal(kind.code, 2)
    assert.match(kind.stderr, /Allowed choices are platform, provision/)
    const role = await runMooring(t, ['accounts', 'create', '--email', 'a@b.io', '--role', 'admin'])
    assert.equal(role.code, 2)
    assert.match(role.stderr, /^mooring: --role .*--workspace\n$/)
  })
})

test('`mooring routes` has a line for each operation', async (t) => {
  const { code, stdout } = await runMooring(t, ['routes'])
  assert.equal(code, 0)
  const [, ...lines] = stdout.trimEnd().split('\n')
  assert.equal(lines.length, operations.length)
  assert.match(stdout, /^POST +\/provision\/device +provision-key +- +provision +Register/m)
})

test('`mooring openapi` prints the document', async (t) => {
  const { code, stdout } = await runMooring(t, ['openapi'])
  assert.equal(code, 0)
  assert.equal((JSON.parse(stdout) as { openapi: string }).openapi, '3.1.1')
})
