/**
 * Entity tags and conditional requests (RFC 9110 sections 8.8.3 and 13). A tag contains the
 * revision of a resource, which preconditions compare, and a digest of the response, which also
 * changes with what has no revision, such as whether a device is connected. A compressed response
 * has a tag of its own: it is other bytes.
 */
import { hash } from 'node:crypto'
import type { Coding } from '../lib/compression.ts'
import type { StoredResponse } from './idempotency.ts'

const DIGEST_LENGTH = 16
const OURS = /^"(\d+)(?:-[\w-]*)?"$/
const TAGS = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g

/** @param body before it is compressed: equal tags mean equal responses, byte for byte */
export const entityTag = (revision: number, body: string, coding?: Coding): string => {
  const digest = hash('sha256', body, 'base64url').slice(0, DIGEST_LENGTH)
  return `"${revision}-${digest}${coding === undefined ? '' : `-${coding}`}"`
}

/**
 * Revisions in an `If-Match`, with or without digests; undefined if any revision will do. Foreign
 * and weak tags match nothing.
 */
export function readIfMatch(header: string | undefined): readonly number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return header.split(',').flatMap((tag) => {
    const revision = OURS.exec(tag.trim())?.[1]
    return revision === undefined ? [] : [Number(revision)]
  })
}

/** Whether an `If-None-Match` lists the tag, by weak comparison; `*` matches any. */
const isNamedBy = (header: string | undefined, tag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' || [...header.matchAll(TAGS)].some(([, found]) => found === tag))

/** @returns 304 without a body (section 15.4.5) if the client already has this response */
export function unlessKnown(
  response: StoredResponse,
  ifNoneMatch: string | undefined,
): StoredResponse {
  const { 'content-type': _, 'content-encoding': _coding, ...headers } = response.headers
  const isKnown = headers.etag !== undefined && isNamedBy(ifNoneMatch, headers.etag)
  return isKnown ? { status: 304, headers, body: '' } : response
}
