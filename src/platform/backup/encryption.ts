/**
 * Encryption of backups, in the format of age (age-encryption.org/v1): with a passphrase, or for a
 * key, whose public half is enough to make backups. The program `age` decrypts them as well.
 */
import { Readable } from 'node:stream'
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { BackupRefused, collector, DamagedStream } from './tar.ts'

/** The secret that decrypts an encrypted backup. */
export type BackupSecret =
  | { kind: 'passphrase'; passphrase: string }
  /** Lines of a key file, as `age-keygen` writes it: private keys, or public ones to encrypt. */
  | { kind: 'keys'; keys: readonly string[]; file: string }

const BEGINNING = Buffer.from('age-encryption.org/v1\n')
const PRIVATE = 'AGE-SECRET-KEY-'

/** The lines of a key file that are keys. @throws BackupRefused if there are none */
export function keysOfFile(text: string, file: string): BackupSecret {
  const keys = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  if (keys.length > 0 && keys.every((key) => key.startsWith(PRIVATE) || key.startsWith('age1'))) {
    return { kind: 'keys', keys, file }
  }
  throw new BackupRefused(
    `${file} is not a key file: its lines must begin with ${PRIVATE} or age1, as age-keygen writes them.`,
  )
}

/** A new key file. */
export async function newKeyFile(): Promise<{ text: string; publicKey: string }> {
  const key = await generateIdentity()
  const publicKey = await identityToRecipient(key)
  return { text: `# public key: ${publicKey}\n${key}\n`, publicKey }
}

async function encrypterFor(secret: BackupSecret): Promise<Encrypter> {
  const encrypter = new Encrypter()
  if (secret.kind === 'passphrase') encrypter.setPassphrase(secret.passphrase)
  else {
    for (const key of secret.keys) {
      encrypter.addRecipient(key.startsWith(PRIVATE) ? await identityToRecipient(key) : key)
    }
  }
  return encrypter
}

// Node declares the same stream in two places.
const toWeb = (source: AsyncIterable<Uint8Array>): globalThis.ReadableStream<Uint8Array> =>
  Readable.toWeb(Readable.from(source, { objectMode: false })) as never
const fromWeb = (stream: globalThis.ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> =>
  Readable.fromWeb(stream)

/** @throws BackupRefused for a key that is none */
export async function encrypted(
  source: AsyncIterable<Uint8Array>,
  secret: BackupSecret,
): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = await encrypterFor(secret).catch((error: unknown) => {
    throw new BackupRefused(`The key file cannot be used: ${String(error)}.`, { cause: error })
  })
  return fromWeb(await encrypter.encrypt(toWeb(source)))
}

function decrypterFor(secret: BackupSecret): Decrypter {
  const decrypter = new Decrypter()
  if (secret.kind === 'passphrase') decrypter.addPassphrase(secret.passphrase)
  else {
    const keys = secret.keys.filter((key) => key.startsWith(PRIVATE))
    if (keys.length === 0) {
      throw new BackupRefused(
        `${secret.file} has only public keys: they encrypt backups, and the private key decrypts them.`,
      )
    }
    for (const key of keys) decrypter.addIdentity(key)
  }
  return decrypter
}

/** The first bytes, and the whole again. */
async function peek(source: AsyncIterable<Uint8Array>) {
  const collected = collector(source)
  const first = await collected.take(BEGINNING.length)
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield first
    yield* collected.rest()
  }
  return { isEncrypted: first.equals(BEGINNING), whole: whole() }
}

const WRONG = {
  passphrase: 'The passphrase is not the one that the backup was encrypted with.',
  keys: 'The key is not one that the backup was encrypted for.',
}

/** The decryption cannot report where bytes were changed; the reader of the archive can. */
async function* sayingWhy(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source
  } catch (error) {
    throw new DamagedStream('encrypted content cannot be authenticated', { cause: error })
  }
}

/**
 * The plain content of a backup that may be encrypted.
 * @throws BackupRefused if the secret is missing, is the wrong one, or is not needed
 */
export async function decrypted(
  source: AsyncIterable<Uint8Array>,
  secret: BackupSecret | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  const { isEncrypted, whole } = await peek(source)
  if (!isEncrypted) {
    if (secret === undefined) return whole
    throw new BackupRefused('The backup is not encrypted: leave out the passphrase or the key.')
  }
  if (secret === undefined) {
    throw new BackupRefused('The backup is encrypted: give --passphrase-file or --key-file.')
  }
  const decrypter = decrypterFor(secret)
  const plain = await decrypter.decrypt(toWeb(whole)).catch((error: unknown) => {
    const isWrong = error instanceof Error && error.message.startsWith('no identity matched')
    const text = isWrong ? WRONG[secret.kind] : 'The backup is damaged in its header.'
    throw new BackupRefused(text, { cause: error })
  })
  return sayingWhy(fromWeb(plain))
}
