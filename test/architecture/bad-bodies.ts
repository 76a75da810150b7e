/**
 * Bodies that no operation takes, whatever it does, with the codes that they may be refused with.
 */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'

export interface BadBody {
  name: string
  payload: string | Buffer
  headers?: Record<string, string>
  codes: readonly string[]
}

const malformed = (name: string, payload: string | Buffer): BadBody => ({
  name,
  payload,
  codes: ['malformed_json'],
})

const DEEP = 100_000

const broken: readonly (string | Buffer)[] = [
  '{',
  '}',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,}',
  '{,}',
  '{]',
  "{'a':1}",
  '{a:1}',
  '{"a":1}}',
  '{"a":1} x',
  '{"a":1}{"a":2}',
  '{"a":01}',
  '{"a":+1}',
  '{"a":.5}',
  '{"a":1.}',
  '{"a":0x10}',
  '{"a":1_000}',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":undefined}',
  '{"a":"\n"}',
  '{"a":"\\x41"}',
  '{"a":"\\u00"}',
  '{"a":1/*b*/}',
  '// a\n{}',
  'a=1&b=2',
  '<a/>',
  'undefined',
  '\u00a0{}',
  ' ',
  '[1,]',
  '"',
  '-',
  '{"a":nul}',
]

const bytes: readonly BadBody[] = [
  malformed('a byte order mark', Buffer.from('\ufeff{"name":"a"}')),
  malformed('UTF-16, little end first', Buffer.from('{"name":"a"}', 'utf16le')),
  malformed('UTF-16 with a mark', Buffer.from('\ufeff{"name":"a"}', 'utf16le')),
  malformed('UTF-16, big end first', Buffer.from('{"name":"a"}', 'utf16le').swap16()),
  malformed('Latin-1', Buffer.from('{"name":"\xe9"}', 'latin1')),
  malformed('an overlong encoding', Buffer.from('{"name":"\xc0\xaf"}', 'latin1')),
  malformed('a surrogate in UTF-8', Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1')),
  malformed('a character beyond Unicode', Buffer.from('{"name":"\xf4\x90\x80\x80"}', 'latin1')),
  malformed('a cut character', Buffer.from('{"name":"\xe2\x82', 'latin1')),
  malformed('a raw NUL', Buffer.from('{"name":"a\0b"}')),
  malformed('random bytes', Buffer.from(Array.from({ length: 256 }, (_none, byte) => byte))),
]

const values: readonly BadBody[] = [
  malformed('a NUL in a text', '{"name":"a\\u0000b"}'),
  malformed('a NUL in a name', '{"na\\u0000me":"b"}'),
  malformed('a lone high surrogate', '{"name":"\\ud800"}'),
  malformed('a lone low surrogate', '{"name":"\\udc00 "}'),
  malformed('surrogates the wrong way round', '{"name":"\\udc00\\ud800"}'),
  malformed('a lone surrogate in a name', '{"\\ud800":1}'),
  malformed('a number beyond all bounds', '{"name":1e400}'),
  malformed('a number beyond all bounds, far below', '{"name":-1e400}'),
  malformed('a number of many digits', `{"name":${'9'.repeat(400)}}`),
  malformed('the same member twice', '{"name":"a","name":"b"}'),
  malformed('the same member in two encodings', '{"name":"a","n\\u0061me":"b"}'),
  malformed('the same member twice, deep inside', '{"name":{"b":[{"c":1,"c":1}]}}'),
  malformed('__proto__', '{"__proto__":{"name":"a"}}'),
  malformed('__proto__ in another encoding', '{"\\u005f_proto__":{"name":"a"}}'),
  malformed('__proto__, deep inside', '{"name":{"__proto__":1}}'),
  malformed('lists in lists', `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`),
  malformed('lists in lists without an end', '['.repeat(DEEP)),
  malformed('objects in objects', `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`),
  malformed('a list of ends', ']'.repeat(DEEP)),
]

const large: BadBody = {
  name: 'two megabytes',
  payload: `{"name":"${'a'.repeat(2 * 1024 * 1024)}"}`,
  codes: ['payload_too_large'],
}

/** Good JSON, but no object. */
const others: readonly BadBody[] = [
  'null',
  '[]',
  '[{}]',
  '"a"',
  '""',
  '1',
  '0',
  'true',
  'false',
].map((payload) => ({ name: `the JSON text ${payload}`, payload, codes: ['invalid_request'] }))

const typed = (type: string, payload: string | Buffer = '{"name":"a"}'): BadBody => ({
  name: `the type ${type}`,
  payload,
  headers: { 'content-type': type },
  codes: ['unsupported_media_type'],
})

const types: readonly BadBody[] = [
  'text/plain',
  'text/json',
  'text/html',
  'text/csv',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/octet-stream',
  'application/json5',
  'application/jsonp',
  'application/problem+json',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/vnd.api+json',
  'application/x-ndjson',
  'application/json; charset=utf-16',
  'application/json; charset=iso-8859-1',
  'application/json; charset=utf-8; charset=utf-16',
  'application/json, text/plain',
  'application/',
  'json',
  '*/*',
  ';',
  ' ',
].map((type) => typed(type))

const encoded = (name: string, payload: Buffer): BadBody => ({
  name: `the encoding ${name}`,
  payload,
  headers: { 'content-type': 'application/json', 'content-encoding': name },
  codes: ['unsupported_media_type'],
})
const plain = Buffer.from('{"name":"a"}')

const encodings: readonly BadBody[] = [
  encoded('gzip', gzipSync(plain)),
  encoded('deflate', deflateSync(plain)),
  encoded('br', brotliCompressSync(plain)),
  encoded('gzip', plain),
  encoded('x-unknown', plain),
  encoded('identity, gzip', gzipSync(plain)),
  // A thousand times as large once it is unpacked.
  encoded('gzip', gzipSync(Buffer.alloc(50 * 1024 * 1024))),
]

export const badBodies: readonly BadBody[] = [
  ...broken.map((payload) => malformed(`the text ${payload.toString()}`, payload)),
  ...bytes,
  ...values,
  large,
  ...others,
  ...types,
  ...encodings,
]
