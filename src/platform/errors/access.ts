/** Failures of authentication and authorization, and rate limits. */
import { entry } from './entry.ts'

export const access = {
  ambiguous_credentials: entry(
    400,
    'Ambiguous credentials',
    'The request carries more than one credential.',
    'Send exactly one credential in exactly one header.',
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
    'The credential is unknown, expired or revoked, or was sent in the wrong header.',
    'Get a new credential: sign in, refresh, or request a new key.',
  ),
  invalid_credentials: entry(
    401,
    'Invalid credentials',
    'The email address or the password is wrong.',
    'Check both. The operator can set a new password: `mooring accounts reset-password`.',
  ),
  mfa_code_rejected: entry(
    401,
    'MFA code rejected',
    'The code is wrong, used already, or its sign-in has expired.',
    'Enter the next code of the authenticator, or sign in again.',
  ),
  passkey_rejected: entry(
    401,
    'Passkey rejected',
    'The passkey is not known here, or was not used in time.',
    'Try again, or sign in with the password. A passkey that was removed from the account does not sign in any more: delete it on the device.',
  ),
  passkeys_unavailable: entry(
    409,
    'Passkeys are not available',
    'Passkeys need a host name and HTTPS, and work only on pages of the configured address of the console.',
    'Open the console at its own address, or at `localhost` on the machine of the service. The operator sets the address with `MOORING_ORIGIN` or `MOORING_CONSOLE_URL`.',
  ),
  initial_password_expired: entry(
    401,
    'Initial password expired',
    'The service generated the password, and it was not changed within 14 days.',
    'Ask the operator for a new one: `mooring accounts reset-password`.',
  ),
  password_change_required: entry(
    403,
    'Password change required',
    'The service generated the password: change it with POST /auth/password first.',
    'Send the current password and a new one to POST /auth/password. After that, the tokens of this session are accepted everywhere.',
  ),
  mfa_required: entry(
    403,
    'Second factor required',
    'A second factor is required: enrol one with POST /auth/mfa/totp and POST /auth/mfa/totp/confirm, or prove it with POST /auth/reauthenticate.',
    'Enrol an authenticator with POST /auth/mfa/totp, and send its code to POST /auth/mfa/totp/confirm. If the account has one already, send a code to POST /auth/reauthenticate, or sign in again.',
  ),
  fresh_authentication_required: entry(
    401,
    'Fresh authentication required',
    'This operation needs a proof of the password or a second factor within the last ten minutes: call POST /auth/reauthenticate first.',
    'Send the password, or a code of the authenticator if there is one, to POST /auth/reauthenticate, and repeat the request with the access token that it returns. Signing in again does the same; refreshing the session does not.',
  ),
  refresh_token_rejected: entry(
    401,
    'Refresh token rejected',
    'The refresh token is unknown or expired, or its session has ended.',
    'Start a new session.',
  ),
  refresh_token_reused: entry(
    401,
    'Refresh token reused',
    'An old refresh token was used again after its successor was used. The session was ended.',
    'Start a new session, and find out who else holds the old token.',
  ),
  cross_site_request: entry(
    403,
    'Cross-site request',
    'The request comes from a page of another origin. The operations of the console accept only requests of its own pages.',
    'Use the API with a credential: it accepts requests from anywhere.',
  ),
  wrong_credential_kind: entry(
    403,
    'Wrong kind of credential',
    'The credential is valid, but this operation does not accept its kind.',
    'Use one of the kinds that the response names.',
  ),
  permission_denied: entry(
    403,
    'Permission denied',
    'The caller does not have the permission for this operation.',
    'Ask an owner or admin of the workspace for a role with this permission.',
  ),
  key_scope_denied: entry(
    403,
    'Outside the restrictions of the key',
    'The request is outside the restrictions of the provision key.',
    'Use a key whose workspace, templates, actions and addresses cover the request.',
  ),
  device_not_approved: entry(
    403,
    'Device not approved',
    'The device is pending approval, or was rejected.',
    'Have a user approve it: POST /workspaces/{id}/devices/{device_id}/approve.',
  ),
  mfa_not_enrolled: entry(
    409,
    'MFA is not enrolled',
    'This account has no authenticator to confirm or remove.',
    'Start enrolment with POST /auth/mfa/totp.',
  ),
  passkey_not_found: entry(
    404,
    'Passkey not found',
    'The account has no such passkey.',
    'List the passkeys of the account.',
  ),
  mfa_already_enrolled: entry(
    409,
    'MFA is already enrolled',
    'This account already has an authenticator.',
    'Remove it with DELETE /auth/mfa/totp first.',
  ),
  rate_limited: entry(
    429,
    'Too many requests',
    'Too many requests.',
    'Wait for the number of seconds in `Retry-After`.',
  ),
  plan_limit_reached: entry(
    429,
    'Plan limit reached',
    'The workspace has reached a limit of its plan.',
    'The member `limit` contains the limit, its value, the usage, and the seconds until it resets. Wait that long, or choose a larger plan. Requests that revoke, delete, rotate or register a known device again are never refused by it.',
  ),
  too_many_attempts: entry(
    429,
    'Too many attempts',
    'Too many failed attempts.',
    'Wait for the number of seconds in `Retry-After` before the next attempt. If `limit` is `failed_attempts_of_account`, do not wait: send a `code` with the password, or sign in on a device that has the `known_device_token` of an earlier sign-in.',
  ),
} as const
