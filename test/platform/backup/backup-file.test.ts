/** Backup files without a database: damage is found wherever it is, and encryption says why not. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { before, test } from 'node:test'
import {
  type BackupPiece,
  headerOf,
  readBackup,
  type ToWrite,
  writeBackup,
} from '../../../src/platform/backup/backup-file.ts'
import {
  type BackupSecret,
  decrypted,
  encrypted,
  keysOfFile,
  newKeyFile,
} from '../../../src/platform/backup/encryption.ts'
import { BackupRefused } from '../../../src/platform/backup/tar.ts'

const header = headerOf({
  mooring: '0.6.0',
  started_at: '2026-01-01T00:00:00.000Z',
  postgres: '18.0',
  master_keys: ['k'],
  migrations: [],
  tables: [
    { name: 'lamps', columns: ['id'] },
    { name: '"user"', columns: ['id'] },
  ],
})
const pieces: ToWrite[] = [
  { kind: 'header', header },
  { kind: 'rows', table: 'lamps', text: Buffer.from('1\n2\n3') },
  { kind: 'rows', table: 'lamps', text: Buffer.from('3\n') },
  { kind: 'rows', table: '"user"', text: Buffer.from('1\n') },
  { kind: 'contents', contents: { rows: { lamps: 3, '"user"': 1 }, sequences: [] } },
]
let bytes: Buffer
before(async () => {
  bytes = await buffer(writeBackup(Readable.from(pieces), () => 1_700_000_000_000))
})

const chunked = (content: Buffer): Readable => Readable.from([content], { objectMode: false })

async function read(content: Buffer, secret?: BackupSecret): Promise<BackupPiece[]> {
  const found: BackupPiece[] = []
  for await (const piece of readBackup(await decrypted(chunked(content), secret))) {
    found.push(piece)
  }
  return found
}

const isRefused = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof BackupRefused, String(error))
  assert.match(error.message, message)
  return true
}

test('written tables are read, in their order', async () => {
  const found = await read(bytes)
  assert.deepEqual(
    found.map((piece) => (piece.kind === 'rows' ? piece.text.toString() : piece.kind)),
    ['header', '1\n2\n3', '3\n', '1\n', 'contents'],
  )
})

test('one changed bit is found, wherever it is before the end mark', async () => {
  for (let at = 0; at < bytes.length - 1_024; at += 23) {
    const damaged = Buffer.from(bytes)
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8))
    await assert.rejects(read(damaged), isRefused(/./), `byte ${at}`)
  }
})

test('damage is named by its place, and so is an end that comes too early', async () => {
  const at = bytes.indexOf('tables/lamps/000002') + 512 + 12
  const damaged = Buffer.from(bytes)
  damaged[at] = (damaged[at] ?? 0) ^ 1
  await assert.rejects(read(damaged), isRefused(/damaged in tables\/lamps\/000002\.copy\.gz/))
  await assert.rejects(
    read(bytes.subarray(0, at)),
    isRefused(/incomplete: it ends within tables\/lamps\/000002/),
  )
  await assert.rejects(read(Buffer.from('no backup')), isRefused(/incomplete/))
})

test('only the passphrase or key of a file decrypts it', async () => {
  const passphrase: BackupSecret = { kind: 'passphrase', passphrase: 'seven seas' }
  const { text, publicKey } = await newKeyFile()
  const forKey = await buffer(await encrypted(chunked(bytes), keysOfFile(publicKey, 'public')))
  const forPhrase = await buffer(await encrypted(chunked(bytes), passphrase))

  const key = keysOfFile(text, 'backup.key')
  assert.equal((await read(forKey, key)).length, pieces.length)
  assert.equal((await read(forPhrase, passphrase)).length, pieces.length)

  const other = keysOfFile((await newKeyFile()).text, 'other.key')
  const wrong: BackupSecret = { kind: 'passphrase', passphrase: 'eight seas' }
  await assert.rejects(read(forPhrase, wrong), isRefused(/The passphrase is not the one/))
  await assert.rejects(read(forKey, other), isRefused(/The key is not one/))
  await assert.rejects(read(forKey), isRefused(/is encrypted: give --passphrase-file/))
  await assert.rejects(read(bytes, key), isRefused(/is not encrypted/))
  await assert.rejects(
    read(forKey, keysOfFile(publicKey, 'public')),
    isRefused(/public has only public keys/),
  )
  assert.throws(() => keysOfFile('hello', 'notes.txt'), isRefused(/notes.txt is not a key file/))

  const damaged = Buffer.from(forKey)
  damaged[damaged.length - 20] = (damaged[damaged.length - 20] ?? 0) ^ 1
  await assert.rejects(read(damaged, key), isRefused(/damaged or incomplete after/))
  await assert.rejects(read(forKey.subarray(0, -40), key), isRefused(/damaged or incomplete/))
})
