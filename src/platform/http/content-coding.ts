/**
 * The compression of responses (RFC 9110 section 8.4.1): only responses to reads, and only where no
 * secret can be in them. The size of compressed text reveals parts that it shares with other text
 * of the same response (BREACH).
 */
import { type Coding, codings } from '../lib/compression.ts'
import { BASE_PATH, type Operation } from './operation.ts'
import { qualitiesOf } from './stream-format.ts'

/** Smaller responses fit into a packet or two, and are not worth the time. */
export const COMPRESSED_FROM = 1_024

export const VARY = 'Accept-Encoding'

/** Whether large responses of an operation are compressed. */
export const isCompressed = (
  operation: Pick<Operation, 'method' | 'base' | 'mayHoldSecrets'>,
): boolean =>
  operation.method === 'GET' && operation.base === BASE_PATH && !operation.mayHoldSecrets

/** The coding that an `Accept-Encoding` likes best; undefined for none. */
export function codingOf(header: string | string[] | undefined): Coding | undefined {
  if (typeof header !== 'string') return undefined
  const qualities = qualitiesOf(header)
  const qualityOf = (coding: string): number => qualities.get(coding) ?? qualities.get('*') ?? 0
  let best: Coding | undefined
  let bestQuality = qualities.get('identity') ?? 0
  for (const coding of codings) {
    const quality = qualityOf(coding)
    if (quality > bestQuality || (quality === bestQuality && quality > 0 && best === undefined)) {
      best = coding
      bestQuality = quality
    }
  }
  return best
}
