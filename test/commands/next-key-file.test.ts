/** The files of master keys, while one follows the other: no key is lost, whatever stops a call. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import {
  dropNextKey,
  keepNextKey,
  moveKeyFiles,
  readNextKey,
} from '../../src/commands/master-key/next-key-file.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { newDataDir } from '../support/service.ts'

const keyOf = (byte: number): Buffer => Buffer.alloc(32, byte)
const [first, second, third] = [keyOf(1), keyOf(2), keyOf(3)]

async function folderWith(t: TestContext, files: Record<string, Buffer>) {
  const dataDir = await newDataDir(t)
  mkdirSync(dataDir, { recursive: true })
  const write = (name: string, key: Buffer): void =>
    writeFileSync(join(dataDir, name), key.toString('base64'), { mode: 0o600 })
  for (const [name, key] of Object.entries(files)) write(name, key)
  const config = (newKey?: Buffer) =>
    readConfig({
      MOORING_DATA_DIR: dataDir,
      ...(newKey && { MOORING_NEW_MASTER_KEY: newKey.toString('base64') }),
    })
  const keys = (): Record<string, number | undefined> =>
    Object.fromEntries(
      readdirSync(dataDir)
        .filter((name) => name.startsWith('master.key'))
        .map((name) => {
          const path = join(dataDir, name)
          assert.equal(statSync(path).mode & 0o777, 0o600, name)
          return [name, Buffer.from(readFileSync(path, 'utf8'), 'base64')[0]]
        }),
    )
  return { config, keys, dataDir }
}

suite('the files of master keys', () => {
  test('the next key takes the place of the present one, and a second call finds it done', async (t) => {
    const { config, keys } = await folderWith(t, { 'master.key': first })
    assert.deepEqual(keepNextKey(config(second), first, undefined), second)
    assert.deepEqual(keys(), { 'master.key': 1, 'master.key.new': 2 })
    // Stopped here, the next call continues with the key that is kept.
    const kept = readNextKey(config(), first)
    assert.deepEqual(keepNextKey(config(), first, kept), second)
    for (const _call of [1, 2]) {
      moveKeyFiles(config(), first, second)
      assert.deepEqual(keys(), { 'master.key': 2, 'master.key.before': 1 })
    }
  })

  test('a call after a complete replacement changes nothing', async (t) => {
    const { config, keys } = await folderWith(t, {
      'master.key': third,
      'master.key.before': second,
    })
    moveKeyFiles(config(), first, second)
    assert.deepEqual(keys(), { 'master.key': third[0], 'master.key.before': second[0] })
  })

  test('a second replacement keeps the first key too', async (t) => {
    const { config, keys } = await folderWith(t, {
      'master.key': second,
      'master.key.before': first,
    })
    keepNextKey(config(third), second, undefined)
    moveKeyFiles(config(), second, third)
    assert.deepEqual(
      Object.values(keys()).sort((one, other) => Number(one) - Number(other)),
      [1, 2, 3],
    )
    assert.equal(keys()['master.key.before'], 2)
  })

  test('the present key is not kept as the next one, and a given one is not ignored', async (t) => {
    const { config, dataDir, keys } = await folderWith(t, { 'master.key': first })
    assert.throws(
      () => keepNextKey(config(first), first, undefined),
      /is the same as the current one/,
    )
    assert.equal(existsSync(join(dataDir, 'master.key.new')), false)
    keepNextKey(config(second), first, undefined)
    assert.throws(() => keepNextKey(config(third), first, second), /contains another key/)
    dropNextKey(config(), third)
    assert.deepEqual(keys(), { 'master.key': 1, 'master.key.new': 2 })
    // Stopped between the move and the end.
    assert.equal(readNextKey(config(), second), undefined)
    assert.deepEqual(keys(), { 'master.key': 1 })
  })
})
