/**
 * Tar archives (ustar, POSIX.1-1988) of regular files that fit in memory, so that `tar` opens a
 * backup without this program. Reading names the file in which an archive is damaged.
 */
const BLOCK = 512
/** More than any file of a backup has; a larger size is a damaged one. */
const MAX_FILE_BYTES = 64 * 2 ** 20

export interface TarFile {
  /** At most 100 bytes of ASCII. */
  name: string
  body: Buffer
}

/** Something about a backup that makes it unusable; the message names it. */
export class BackupRefused extends Error {
  override name = 'BackupRefused'
}

/** A source of bytes found that they were changed or truncated. */
export class DamagedStream extends Error {
  override name = 'DamagedStream'
}

const octal = (value: number, width: number): string =>
  `${value.toString(8).padStart(width - 1, '0')}\0`

/** Where the fields of a header are: offset and length. */
const NAME = [0, 100] as const
const SIZE = [124, 12] as const
const CHECKSUM = [148, 8] as const
const MAGIC = [257, 8] as const
const USTAR = 'ustar\x0000'

/** The checksum of the header as if the checksum were blanks, as the format demands. */
function checksumOf(header: Buffer): number {
  let sum = 0
  for (const [at, byte] of header.entries()) {
    sum += at >= CHECKSUM[0] && at < CHECKSUM[0] + CHECKSUM[1] ? 0x20 : byte
  }
  return sum
}

const checksumText = (header: Buffer): string => `${octal(checksumOf(header), 7)} `

/** A file as it is in an archive. @param at its time, milliseconds since the epoch */
export function tarEntry({ name, body }: TarFile, at: number): Buffer {
  if (name.length > NAME[1]) throw new RangeError(`the name ${name} is too long for an archive`)
  const header = Buffer.alloc(BLOCK)
  header.write(name, NAME[0], 'latin1')
  header.write(octal(0o600, 8), 100, 'latin1')
  header.write(octal(0, 8), 108, 'latin1')
  header.write(octal(0, 8), 116, 'latin1')
  header.write(octal(body.length, SIZE[1]), SIZE[0], 'latin1')
  header.write(octal(Math.floor(at / 1_000), 12), 136, 'latin1')
  header.write('0', 156, 'latin1')
  header.write(USTAR, MAGIC[0], 'latin1')
  header.write(checksumText(header), CHECKSUM[0], 'latin1')
  return Buffer.concat([header, body, Buffer.alloc(-body.length & (BLOCK - 1))])
}

/** The end of an archive. */
export const tarEnd = Buffer.alloc(2 * BLOCK)

const field = (header: Buffer, [at, length]: readonly [number, number]): string =>
  header.toString('latin1', at, at + length)

function readHeader(header: Buffer, after: string): { name: string; size: number } {
  if (field(header, MAGIC) !== USTAR || field(header, CHECKSUM) !== checksumText(header)) {
    throw new BackupRefused(`The backup is damaged after ${after}: no file begins there.`)
  }
  const [name = ''] = field(header, NAME).split('\0')
  const size = Number.parseInt(field(header, SIZE), 8)
  if (!(size <= MAX_FILE_BYTES)) {
    throw new BackupRefused(`The backup is damaged at ${name}: its size is out of range.`)
  }
  return { name, size }
}

/** Collects bytes of a stream until there are as many as wanted. */
export function collector(source: AsyncIterable<Uint8Array>) {
  const chunks = source[Symbol.asyncIterator]()
  let held = Buffer.alloc(0)
  return {
    /** @returns fewer bytes at the end of the stream */
    async take(bytes: number): Promise<Buffer> {
      const parts = [held]
      let length = held.length
      while (length < bytes) {
        const next = await chunks.next()
        if (next.done === true) break
        const part = Buffer.from(next.value)
        parts.push(part)
        length += part.length
      }
      const all = Buffer.concat(parts)
      held = all.subarray(bytes)
      return all.subarray(0, bytes)
    },
    /** The bytes not taken yet. */
    async *rest(): AsyncGenerator<Uint8Array> {
      yield held
      yield* { [Symbol.asyncIterator]: () => chunks }
    },
  }
}

/**
 * The files of an archive, in order.
 * @throws BackupRefused if it is damaged or incomplete, with the name of the last file before
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  let after = 'its beginning'
  const collected = collector(source)
  const take = (bytes: number): Promise<Buffer> =>
    collected.take(bytes).catch((error: unknown) => {
      if (!(error instanceof DamagedStream)) throw error
      const text = `The backup is damaged or incomplete after ${after}.`
      throw new BackupRefused(text, { cause: error })
    })
  for (;;) {
    const header = await take(BLOCK)
    if (header.length === BLOCK && header.every((byte) => byte === 0)) return
    if (header.length < BLOCK) {
      throw new BackupRefused(`The backup is incomplete: it ends after ${after}.`)
    }
    const { name, size } = readHeader(header, after)
    const padded = size + (-size & (BLOCK - 1))
    const body = await take(padded)
    if (body.length < padded) {
      throw new BackupRefused(`The backup is incomplete: it ends within ${name}.`)
    }
    if (body.subarray(size).some((byte) => byte !== 0)) {
      throw new BackupRefused(`The backup is damaged after ${name}.`)
    }
    yield { name, body: body.subarray(0, size) }
    after = name
  }
}
