/** Failures of any request regardless of its operation, and internal failures. */
import { badRequest, conflict, entry, notFound, tooManyRequests, unavailable } from './entry.ts'

export const requests = {
  invalid_request: badRequest(
    'Invalid request',
    'The request does not have the documented shape.',
    'Each item of `errors` points at one member and states the requirement. Correct the ' +
      'members and send the request again.',
  ),
  malformed_json: badRequest(
    'Malformed JSON',
    'The body is not valid JSON.',
    'Send UTF-8 JSON without a byte order mark, duplicate members, NUL characters or lone surrogates, at most 32 levels deep.',
  ),
  malformed_csv: badRequest(
    'Malformed CSV',
    'The body is not CSV with a header.',
    'Send UTF-8 with commas between cells (RFC 4180), the names of the columns in the first line, and as many cells in each row.',
  ),
  invalid_cursor: badRequest(
    'Invalid cursor',
    'The cursor was not made by this list with these filters.',
    'Start again without `cursor`, and pass `next_cursor` back unchanged with the same filters.',
  ),
  claim_code_malformed: badRequest(
    'Malformed claim code',
    'A claim code is `pc_` followed by ten characters.',
    'Send the code as displayed by the phone.',
  ),
  not_found: notFound(
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
  verification_in_progress: conflict(
    'Verification in progress',
    'A verification of the audit log of this workspace is already in progress.',
    'Wait for the response to the other call, then try again.',
  ),
  idempotency_in_progress: conflict(
    'Still in progress',
    'A request with the same Idempotency-Key is still running.',
    'Wait a moment and send the same request again.',
  ),
  precondition_failed: entry(
    412,
    'Precondition failed',
    'The resource has changed since its ETag was read.',
    'Read the resource again, apply the change to its current state, and send the new ETag.',
  ),
  payload_too_large: entry(
    413,
    'Payload too large',
    'The body is too large for this operation.',
    'Send a smaller body. `limit` contains the maximum.',
  ),
  unsupported_media_type: entry(
    415,
    'Unsupported media type',
    'The operation does not accept the media type of the body. It accepts application/json; for streams of rows application/x-ndjson, and for some text/csv.',
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
    'Generate a new key for each new request, for example a UUID.',
  ),
  too_many_streams: tooManyRequests(
    'Too many streams',
    'The maximum number of streams is open.',
    'Close streams that are not needed; one stream can serve many readers. `limit` identifies the limit.',
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
    'An unexpected error occurred in the service.',
    'Try again. If the error persists, report the `trace_id`.',
  ),
  unavailable: unavailable(
    'Temporarily unavailable',
    'The service is temporarily unavailable. Acknowledged changes are stored.',
    'Try again after the number of seconds in `Retry-After`.',
  ),
} as const
