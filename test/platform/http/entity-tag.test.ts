/** Entity tags are read as RFC 9110 writes them, and never match what they don't name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entityTag, readIfMatch, unlessKnown } from '../../../src/platform/http/entity-tag.ts'

const body = '{"name":"Lamp"}'
const etag = entityTag(3, body)
const response = { status: 200, headers: { etag, 'content-type': 'application/json' }, body }

test('a tag is another one as soon as a byte of the response or the revision is', () => {
  assert.match(etag, /^"3-[\w-]{16}"$/)
  assert.equal(entityTag(3, body), etag)
  assert.notEqual(entityTag(3, '{"name":"Lamp "}'), etag)
  assert.notEqual(entityTag(4, body), etag)
})

test('If-None-Match is compared weakly, in lists and as *, and a 304 keeps the tag alone', () => {
  const known = { status: 304, headers: { etag }, body: '' }
  for (const header of [etag, `W/${etag}`, `"a,b" , ${etag}`, `"0",W/${etag},"1"`, '*', ' * ']) {
    assert.deepEqual(unlessKnown(response, header), known, header)
  }
  const others = ['', '"3"', etag.slice(1, -1), `w/${etag.slice(0, -1)}`, `"${etag}"x`, '"*"', '**']
  for (const header of [undefined, ...others]) {
    assert.equal(unlessKnown(response, header), response, header)
  }
  const untagged = { ...response, headers: { 'content-type': 'application/json' } }
  assert.equal(unlessKnown(untagged, '*'), untagged)
})

test('If-Match names revisions, with or without their digests, and never weakly', () => {
  assert.deepEqual(readIfMatch(`${etag}, "7"`), [3, 7])
  assert.deepEqual(readIfMatch(`W/${etag}, "x", 3, "3;"`), [])
  assert.equal(readIfMatch(' * '), undefined)
  assert.equal(readIfMatch(undefined), undefined)
})
