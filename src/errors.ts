/**
 * The failure catalogue: every way in which a request can be refused, as data. Rules throw
 * `Failure`; http/failures.ts turns it into an RFC 9457 problem; docs/errors.md is made from here.
 * A code never changes its meaning. `sentence` is what callers read when nothing better is known.
 */

export interface CatalogueEntry {
  status: number
  title: string
  sentence: string
  /** What the caller can do about it, for the error pages. */
  remedy: string
}

const entry = (
  status: number,
  title: string,
  sentence: string,
  remedy: string,
): CatalogueEntry => ({ status, title, sentence, remedy })

export const catalogue = {
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
  ambiguous_credentials: entry(
    400,
    'Ambiguous credentials',
    'The request carries more than one credential.',
    'Send exactly one credential in exactly one header.',
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
  mfa_not_enrolled: entry(
    409,
    'MFA is not enrolled',
    'This account has no authenticator to confirm or remove.',
    'Start enrolment with POST /auth/mfa/totp.',
  ),
  mfa_already_enrolled: entry(
    409,
    'MFA is already enrolled',
    'This account already has an authenticator.',
    'Remove it with DELETE /auth/mfa/totp first.',
  ),
  credential_missing: entry(
    401,
    'Credential missing',
    'This operation needs a credential.',
    'Send one of the credentials that `WWW-Authenticate` and the reference name.',
  ),
  credential_rejected: entry(
    401,
    'Credential rejected',
    'The credential is unknown, expired or revoked, or was not sent the way its kind is sent.',
    'Get a new credential: sign in, refresh, or ask for a new key.',
  ),
  invalid_credentials: entry(
    401,
    'Invalid credentials',
    'The email address or the password is wrong.',
    'Check both. Passwords are reset in the console.',
  ),
  mfa_code_rejected: entry(
    401,
    'MFA code rejected',
    'The code is wrong, used already, or its sign-in has expired.',
    'Enter the next code of the authenticator, or sign in again.',
  ),
  refresh_token_rejected: entry(
    401,
    'Refresh token rejected',
    'The refresh token is unknown, expired, or of an ended session.',
    'Start a new session.',
  ),
  refresh_token_reused: entry(
    401,
    'Refresh token reused',
    'An old refresh token came again after its successor was used; the session has been ended.',
    'Start a new session, and find out who else holds the old token.',
  ),
  wrong_credential_kind: entry(
    403,
    'Wrong kind of credential',
    'The credential is good, but not of a kind that this operation takes.',
    'Use one of the kinds that the answer names.',
  ),
  permission_denied: entry(
    403,
    'Permission denied',
    'The caller does not hold the permission for this operation.',
    'Ask an owner or admin of the workspace for a role that holds it.',
  ),
  key_scope_denied: entry(
    403,
    'Not allowed to this key',
    'The provision key is limited, and this lies outside its limits.',
    'Use a key whose workspace, templates, actions and addresses cover the request.',
  ),
  not_found: entry(
    404,
    'Not found',
    'There is no such route.',
    'Compare method and path with the reference.',
  ),
  workspace_not_found: entry(
    404,
    'Workspace not found',
    'There is no such workspace, or the caller may not see it.',
    'Check the id and the credential.',
  ),
  api_key_not_found: entry(
    404,
    'API key not found',
    'There is no such API key in this workspace.',
    'List the keys of the workspace.',
  ),
  template_not_found: entry(
    404,
    'Device template not found',
    'There is no such device template in this workspace.',
    'List the device templates of the workspace.',
  ),
  device_not_found: entry(
    404,
    'Device not found',
    'There is no such device in this workspace.',
    'List the devices of the workspace.',
  ),
  state_not_found: entry(
    404,
    'No state yet',
    'The device has not published a state yet.',
    'Wait until the device publishes on its state topic, or write a state.',
  ),
  session_not_found: entry(
    404,
    'Session not found',
    'There is no such live session of this account.',
    'List the sessions of the account.',
  ),
  claim_not_found: entry(
    404,
    'Claim not found',
    'There is no such claim of this mobile identity.',
    'Start a new claim.',
  ),
  claim_code_unknown: entry(
    404,
    'Claim code unknown',
    'No open claim in this workspace has this code.',
    'Let the phone show a new code.',
  ),
  method_not_allowed: entry(
    405,
    'Method not allowed',
    'The route exists, but not with this method.',
    'Use one of the methods that `Allow` names.',
  ),
  invalid_transition: entry(
    409,
    'Invalid transition',
    'The resource is not in a state from which this is possible.',
    'Read the resource; the answer names its state and the one that was asked for.',
  ),
  slug_taken: entry(409, 'Slug taken', 'Another workspace has this slug.', 'Choose another slug.'),
  slug_fixed: entry(
    409,
    'Slug is fixed',
    'The slug is the topic prefix of registered devices and can not change any more.',
    'Keep the slug; the name can change at any time.',
  ),
  model_key_taken: entry(
    409,
    'Model key taken',
    'Another device template of this workspace has this model key.',
    'Choose another model key.',
  ),
  template_in_use: entry(
    409,
    'Device template in use',
    'Devices still use this template.',
    'Move or delete its devices first.',
  ),
  device_key_taken: entry(
    409,
    'Device key taken',
    'Another device of this workspace has this key.',
    'Choose another `device_key`, or pass the `device_id` to rotate the credentials of that device.',
  ),
  hardware_id_taken: entry(
    409,
    'Hardware id taken',
    'Another device of this workspace has this hardware id.',
    'Check the hardware id; each device has its own.',
  ),
  device_already_claimed: entry(
    409,
    'Device already claimed',
    'The device is bound to a phone.',
    'Release it first, from the phone that holds it or with a factory reset.',
  ),
  too_many_open_claims: entry(
    409,
    'Too many open claims',
    'This mobile identity has five open claims.',
    'Cancel one, or wait until one expires.',
  ),
  quota_reached: entry(
    409,
    'Quota reached',
    'The device quota of this provision key is used up.',
    'Create another provision key. Rotation of registered devices goes on working.',
  ),
  limit_reached: entry(
    409,
    'Limit reached',
    'The workspace holds as many of these as it may.',
    'Delete what is no longer needed.',
  ),
  idempotency_in_progress: entry(
    409,
    'Still in progress',
    'A request with the same Idempotency-Key is still running.',
    'Wait a moment and send the same request again.',
  ),
  claim_code_used: entry(
    410,
    'Claim code used',
    'This claim code has been used.',
    'Let the phone show a new code.',
  ),
  claim_code_expired: entry(
    410,
    'Claim code expired',
    'This claim code is no longer valid.',
    'Let the phone show a new code.',
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
    'The body is not of a media type that this operation takes.',
    'Send `Content-Type: application/json`, uncompressed, in UTF-8.',
  ),
  idempotency_key_reused: entry(
    422,
    'Idempotency-Key reused',
    'This Idempotency-Key was used with another request.',
    'Make a new key for each new request, for example a UUID.',
  ),
  rate_limited: entry(
    429,
    'Too many requests',
    'Too many requests.',
    'Wait for the seconds that `Retry-After` names.',
  ),
  too_many_attempts: entry(
    429,
    'Too many attempts',
    'Too many failed attempts.',
    'Wait for the seconds that `Retry-After` names before the next attempt.',
  ),
  request_header_too_large: entry(
    431,
    'Request header too large',
    'The request line or the headers are too large.',
    'Send fewer or shorter headers.',
  ),
  request_timeout: entry(
    408,
    'Request timeout',
    'The request did not arrive in time.',
    'Send the whole request without a pause.',
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
} as const satisfies Record<string, CatalogueEntry>

export type FailureCode = keyof typeof catalogue

export interface FieldError {
  /** RFC 6901 pointer into the body, or `/query/<name>`, `/path/<name>`, `/header/<name>`. */
  pointer: string
  message: string
}

export interface FailureOptions {
  /** Replaces the catalogue's sentence; it is shown to the caller. */
  detail?: string
  errors?: FieldError[]
  /** Seconds for `Retry-After`. */
  retryAfterSeconds?: number
  /** Named limit of a 413, 409 or 429: what it is called, its value, and when it is free again. */
  limit?: { name: string; value: number; reset_seconds?: number }
  /** Methods for `Allow`. */
  allow?: string[]
  /** Kept for the log, never shown. */
  cause?: unknown
}

/** The only way in which a rule refuses. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly status: number
  readonly options: FailureOptions

  constructor(code: FailureCode, options: FailureOptions = {}) {
    super(options.detail ?? catalogue[code].sentence, { cause: options.cause })
    this.name = 'Failure'
    this.code = code
    this.status = catalogue[code].status
    this.options = options
  }
}

/** A 400 that points at one member. */
export const invalid = (pointer: string, message: string): Failure =>
  new Failure('invalid_request', { errors: [{ pointer, message }] })

/**
 * Optimistic concurrency (RFC 9110 section 13.1.1): the change goes on only from a revision that
 * the caller has seen. Undefined: the caller doesn't mind.
 * @throws Failure precondition_failed
 */
export function demandRevision(present: number, ifMatch: readonly number[] | undefined): void {
  if (ifMatch !== undefined && !ifMatch.includes(present)) throw new Failure('precondition_failed')
}
