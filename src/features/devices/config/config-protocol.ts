/**
 * Messages of the MQTT configuration protocol, version 1: requests on `config/get`, chunked
 * responses on `config/resp`, and the current version on `config/meta`.
 */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import { readMembers } from '../../../platform/lib/json-members.ts'

/** A configuration in its transmitted form: canonical JSON (RFC 8785). */
export interface ConfigDocument {
  version: number
  text: Buffer
  /** The digest of the text, in hexadecimal. */
  sha256: string
  /** Milliseconds since the epoch. */
  changedAt: number
}

type RequestId = string | number

export interface ConfigRequest {
  rid: RequestId
  /** Bytes of encoded text per chunk. */
  chunkBytes: number
  /** Maximum text size that the device can hold. */
  maxTotalBytes: number
  gzip: boolean
}

const CHUNK_BYTES = { min: 64, max: 32_768, usual: 4_096 } as const
/** Fielded firmware refuses responses of more chunks, and of none. */
const MAX_CHUNKS = 256
const MAX_REQUEST_BYTES = 2_048
const MAX_RID_LENGTH = 64
/** Below this size gzip's overhead outweighs its savings. */
const LEAST_GZIP_BYTES = 128

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0

const isRid = (value: unknown): value is RequestId =>
  (typeof value === 'string' && value.length > 0 && value.length <= MAX_RID_LENGTH) ||
  (typeof value === 'number' && Number.isSafeInteger(value))

function acceptsGzip(accepted: unknown): boolean {
  const list: unknown[] = Array.isArray(accepted) ? accepted : [accepted]
  return list.includes('gzip')
}

/** @returns undefined if it has no request id and so cannot be answered */
export function readConfigRequest(payload: Buffer): ConfigRequest | undefined {
  if (payload.length > MAX_REQUEST_BYTES) return undefined
  const { rid, want } = readMembers(payload) ?? {}
  if (!isRid(rid)) return undefined
  const wishes = (typeof want === 'object' && want !== null ? want : {}) as Record<string, unknown>
  const { chunk_bytes: chunk, max_total_bytes: total, accept_encoding: accepted } = wishes
  const { min, max, usual } = CHUNK_BYTES
  return {
    rid,
    chunkBytes: Math.min(max, Math.max(min, isCount(chunk) ? chunk : usual)),
    maxTotalBytes: isCount(total) ? total : Number.POSITIVE_INFINITY,
    gzip: acceptsGzip(accepted),
  }
}

const message = (members: Record<string, unknown>): Buffer => Buffer.from(JSON.stringify(members))

const refusal = (rid: RequestId, code: string, text: string, retryable: boolean): Buffer =>
  message({ rid, ok: false, error: { code, message: text, retryable } })

const tooLarge = (rid: RequestId, text: string): Buffer =>
  refusal(rid, 'CONFIG_TOO_LARGE', text, false)

export const tooManyRequests = (rid: RequestId): Buffer =>
  refusal(rid, 'too_many_requests', 'Too many requests: try again later.', true)

export function documentOf(
  config: Record<string, unknown>,
  version: number,
  changedAt: number,
): ConfigDocument {
  const text = Buffer.from(canonicalJson(config))
  const sha256 = createHash('sha256').update(text).digest('hex')
  return { version, text, sha256, changedAt }
}

function encode(request: ConfigRequest, text: Buffer): { encoding: string; bytes: Buffer } {
  if (request.gzip && text.length >= LEAST_GZIP_BYTES) {
    const bytes = gzipSync(text)
    if (bytes.length < text.length) return { encoding: 'gzip', bytes }
  }
  return { encoding: 'identity', bytes: text }
}

/**
 * The responses to a request, in sending order. The version that the device already has makes no
 * difference: fielded firmware compares the hash of whatever it gets, so a response without data
 * would look like a damaged configuration.
 */
export function configResponses(request: ConfigRequest, document: ConfigDocument): Buffer[] {
  const { rid, maxTotalBytes, chunkBytes } = request
  const { version, sha256, text } = document
  if (text.length > maxTotalBytes) {
    return [tooLarge(rid, `The configuration has ${text.length} bytes, over max_total_bytes.`)]
  }
  const { encoding, bytes } = encode(request, text)
  const total = Math.ceil(bytes.length / chunkBytes)
  if (total > MAX_CHUNKS) {
    const excess = `more than ${MAX_CHUNKS} chunks of ${chunkBytes} bytes`
    return [tooLarge(rid, `The configuration would take ${excess}: ask for larger ones.`)]
  }
  return Array.from({ length: total }, (_, index) => {
    const data = bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes)
    return chunkOf(request, { version, sha256 }, encoding, index, total, data)
  })
}

function chunkOf(
  { rid, chunkBytes }: ConfigRequest,
  { version, sha256 }: Pick<ConfigDocument, 'version' | 'sha256'>,
  encoding: string,
  index: number,
  total: number,
  data: Buffer,
): Buffer {
  return message({
    rid,
    ok: true,
    version,
    sha256,
    encoding,
    content_type: 'application/json',
    chunk_bytes: chunkBytes,
    chunk_index: index,
    total_chunks: total,
    data_b64: data.toString('base64'),
  })
}

/** The contents of the retained `config/meta`. */
export const metaOf = ({ version, sha256, text, changedAt }: ConfigDocument): Buffer =>
  message({ version, sha256, bytes: text.length, updated_at: new Date(changedAt).toISOString() })
