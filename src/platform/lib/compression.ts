/** Compression by brotli and gzip: quickly for one response, or well for what is sent often. */
import {
  brotliCompress,
  type BrotliOptions,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
} from 'node:zlib'

/** In the order of preference. */
export const codings = ['br', 'gzip'] as const
export type Coding = (typeof codings)[number]

/** Work of more than about half a millisecond is left to the thread pool. */
const POOL_FROM = 131_072

const brotliAt = (quality: number): BrotliOptions => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: quality },
})
/** Higher levels cost several times as much, for some percent less. */
const QUICK_GZIP = { level: 1 }
const QUICK_BROTLI = brotliAt(1)
/** Takes less than half a second for megabytes. */
const GOOD_BROTLI = brotliAt(9)

const inPool = (
  start: (done: (error: Error | null, bytes: Buffer) => void) => void,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    start((error, bytes) => (error === null ? resolve(bytes) : reject(error)))
  })

const gzipInPool = (plain: string | Buffer, options = {}): Promise<Buffer> =>
  inPool((done) => gzip(plain, options, done))
const brotliInPool = (plain: string | Buffer, options: BrotliOptions): Promise<Buffer> =>
  inPool((done) => brotliCompress(plain, options, done))

export function compress(text: string, coding: Coding): Buffer | Promise<Buffer> {
  const isLong = text.length >= POOL_FROM
  if (coding === 'br') {
    return isLong ? brotliInPool(text, QUICK_BROTLI) : brotliCompressSync(text, QUICK_BROTLI)
  }
  return isLong ? gzipInPool(text, QUICK_GZIP) : gzipSync(text, QUICK_GZIP)
}

export const compressWell = (plain: Buffer, coding: Coding): Promise<Buffer> =>
  coding === 'br' ? brotliInPool(plain, GOOD_BROTLI) : gzipInPool(plain)
