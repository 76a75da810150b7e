/** Failures of any request regardless of its operation, and internal failures. */
import { entry } from './entry.ts'

export const requests = {
  invalid_request: entry(
    400,
    'Invalid request',
    'The request does not have the documented shape.',
    'Each item of `errors` points at one member and says what it must be. Mend it and send again.',
  ),
  malformed_json: entry(
    400,
    'Malformed JSON',
    'The body is not valid JSON.',
    'Send UTF-8 JSON without a byte order mark, duplicate members, NUL characters or lone surrogates, at most 32 levels deep.',
  ),
  malformed_csv: entry(
    400,
    'Malformed CSV',
    'The body is not CSV with a header.',
    'Send UTF-8 with commas between cells (RFC 4180), the names of the columns in the first line, and as many cells in each row.',
  ),
  invalid_cursor: entry(
    400,
    'Invalid cursor',
    'The cursor was not made by this list with these filters.',
    'Start again without `cursor`, and pass `next_cursor` back unchanged with the same filters.',
  ),
  claim_code_malformed: entry(
    400,
    'Malformed claim code',
    'A claim code is `pc_` followed by ten characters.',
    'Send the code as the phone shows it.',
  ),
  not_found: entry(
    404,
    'Not found',
    'There is no such route.',
    'Compare method and path with the reference.',
  ),
  method_not_allowed: entry(
    405,
    'Method not allowed',
    'The route exists, but not with this method.',
    'Use one of the methods that `Allow` names.',
  ),
  request_timeout: entry(
    408,
    'Request timeout',
    'The request did not arrive in time.',
    'Send the whole request without a pause.',
  ),
  verification_in_progress: entry(
    409,
    'Verification in progress',
    'The audit log of this workspace is being verified already.',
    'Wait for the answer of the other call, then ask again.',
  ),
  idempotency_in_progress: entry(
    409,
    'Still in progress',
    'A request with the same Idempotency-Key is still running.',
    'Wait a moment and send the same request again.',
  ),
  precondition_failed: entry(
    412,
    'Precondition failed',
    'The resource has changed since its ETag was read.',
    'Read it again, apply the change to what it is now, and send the new ETag.',
  ),
  payload_too_large: entry(
    413,
    'Payload too large',
    'The body is larger than this operation takes.',
    'Send less at once; `limit` says how much.',
  ),
  unsupported_media_type: entry(
    415,
    'Unsupported media type',
    'The body is not of the media type that this operation takes: application/json, or for streams of rows application/x-ndjson and perhaps text/csv.',
    'Send `Content-Type: application/json`, uncompressed, in UTF-8.',
  ),
  expectation_failed: entry(
    417,
    'Expectation failed',
    'The request has an `Expect` header other than `100-continue`.',
    'Send the request without `Expect`.',
  ),
  idempotency_key_reused: entry(
    422,
    'Idempotency-Key reused',
    'This Idempotency-Key was used with another request.',
    'Make a new key for each new request, for example a UUID.',
  ),
  too_many_streams: entry(
    429,
    'Too many streams',
    'As many streams are open as there may be.',
    'Close those that are not needed; one stream can serve many readers. `limit` names which limit it is.',
  ),
  request_header_too_large: entry(
    431,
    'Request header too large',
    'The request line or the headers are too large.',
    'Send fewer or shorter headers.',
  ),
  internal_error: entry(
    500,
    'Internal error',
    'Something went wrong on our side.',
    'Try again; if it goes on, report the `trace_id`.',
  ),
  unavailable: entry(
    503,
    'Temporarily unavailable',
    'The service can not answer now. What it acknowledged is safe.',
    'Try again after the seconds that `Retry-After` names.',
  ),
} as const
