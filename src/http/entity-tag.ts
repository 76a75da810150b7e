/**
 * Entity tags and what requests make depend on them (RFC 9110 sections 8.8.3 and 13). A tag has the
 * revision of a resource, which changes are made from, and a digest of the answer: what it shows
 * beside that, such as whether a device is connected, changes without a revision.
 */
import { hash } from 'node:crypto'
import type { StoredAnswer } from './idempotency.ts'

const DIGEST_LENGTH = 16
const OURS = /^"(\d+)(?:-[\w-]*)?"$/
const TAGS = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g

/** @param body as it is sent: the same tag is the same answer, byte for byte. */
export const entityTag = (revision: number, body: string): string =>
  `"${revision}-${hash('sha256', body, 'base64url').slice(0, DIGEST_LENGTH)}"`

/**
 * Revisions of an `If-Match`, with or without their digests; undefined when every revision will do.
 * What is no tag of ours, or a weak one, matches none.
 */
export function readIfMatch(header: string | undefined): readonly number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return header.split(',').flatMap((tag) => {
    const revision = OURS.exec(tag.trim())?.[1]
    return revision === undefined ? [] : [Number(revision)]
  })
}

/** Whether an `If-None-Match` names a tag, by the weak comparison; `*` names any. */
const isNamedBy = (header: string | undefined, tag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' || [...header.matchAll(TAGS)].some(([, found]) => found === tag))

/** @returns 304 without a body (section 15.4.5) in place of an answer that the client has. */
export function unlessKnown(answer: StoredAnswer, ifNoneMatch: string | undefined): StoredAnswer {
  const { 'content-type': _, ...headers } = answer.headers
  const isKnown = headers.etag !== undefined && isNamedBy(ifNoneMatch, headers.etag)
  return isKnown ? { status: 304, headers, body: '' } : answer
}
