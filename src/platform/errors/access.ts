/** Failures of authentication and authorization, and rate limits. */
import {
  badRequest,
  conflict,
  forbidden,
  notFound,
  tooManyRequests,
  unauthorized,
  unavailable,
} from './entry.ts'

export const access = {
  ambiguous_credentials: badRequest(
    'Ambiguous credentials',
    'The request carries more than one credential.',
    'Send exactly one credential in exactly one header.',
  ),
  credential_missing: unauthorized(
    'Credential missing',
    'This operation needs a credential.',
    'Send one of the credentials that `WWW-Authenticate` and the reference name.',
  ),
  credential_rejected: unauthorized(
    'Credential rejected',
    'The credential is unknown, expired or revoked, or was sent in the wrong header.',
    'Get a new credential: sign in, refresh, or request a new key.',
  ),
  invalid_credentials: unauthorized(
    'Invalid credentials',
    'The email address or the password is wrong.',
    'Check both. The operator can set a new password: `mooring accounts reset-password`.',
  ),
  mfa_code_rejected: unauthorized(
    'MFA code rejected',
    'The code is wrong, used already, or its sign-in has expired.',
    'Enter the next code of the authenticator, or sign in again.',
  ),
  authorization_code_rejected: unauthorized(
    'Authorization code rejected',
    'The code is unknown, used or expired, or it was issued to another program.',
    'Start the sign-in again.',
  ),
  passkey_rejected: unauthorized(
    'Passkey rejected',
    'The passkey is not known here, or was not used in time.',
    'Try again, or sign in with the password. A passkey that was removed from the account does not sign in any more: delete it on the device.',
  ),
  passkeys_unavailable: conflict(
    'Passkeys are not available',
    'Passkeys need a host name and HTTPS, and work only on pages of the configured address of the console.',
    'Open the console at its own address, or at `localhost` on the machine of the service. The operator sets the address with `MOORING_ORIGIN` or `MOORING_CONSOLE_URL`.',
  ),
  initial_password_expired: unauthorized(
    'Initial password expired',
    'The service generated the password, and it was not changed within 14 days.',
    'Ask the operator for a new one: `mooring accounts reset-password`.',
  ),
  password_change_required: forbidden(
    'Password change required',
    'The service generated the password: change it with POST /auth/password first.',
    'Send the current password and a new one to POST /auth/password. After that, the tokens of this session are accepted everywhere.',
  ),
  operator_required: forbidden(
    'For operators only',
    'This is for people whose account is marked as an operator of the installation, who sign in at the address of the service itself.',
    'The person who runs the service marks an account: `mooring accounts set-role --email … --role operator`.',
  ),
  mfa_required: forbidden(
    'Second factor required',
    'A second factor is required: enrol one with POST /auth/mfa/totp and POST /auth/mfa/totp/confirm, or prove it with POST /auth/reauthenticate.',
    'Enrol an authenticator with POST /auth/mfa/totp, and send its code to POST /auth/mfa/totp/confirm. If the account has one already, send a code to POST /auth/reauthenticate, or sign in again.',
  ),
  fresh_authentication_required: unauthorized(
    'Fresh authentication required',
    'This operation needs a proof of the password or a second factor within the last ten minutes: call POST /auth/reauthenticate first.',
    'Send the password, or a code of the authenticator if there is one, to POST /auth/reauthenticate, and repeat the request with the access token that it returns. Signing in again does the same; refreshing the session does not.',
  ),
  sso_rejected: unauthorized(
    'Sign-in rejected',
    'The provider did not confirm this sign-in, or it was begun in another browser, used already, or has expired.',
    'Begin again on the page of signing in.',
  ),
  sso_address_refused: forbidden(
    'Address refused',
    'The provider has not verified the e-mail address, or signs in addresses of other domains only.',
    'Verify the address at the provider, or sign in another way.',
  ),
  sso_provider_unavailable: unavailable(
    'Provider does not respond',
    'The identity provider does not respond.',
    'Try again in a moment, or sign in another way. If it stays so, ask the people who run the provider.',
  ),
  sso_provider_not_found: notFound(
    'Provider not found',
    'There is no identity provider of this name.',
    'Choose one on the page of signing in, at the address of the service itself.',
  ),
  sso_identity_not_found: notFound(
    'Identity not found',
    'The account is not linked to such an identity.',
    'List the identities of the account.',
  ),
  refresh_token_rejected: unauthorized(
    'Refresh token rejected',
    'The refresh token is unknown or expired, or its session has ended.',
    'Start a new session.',
  ),
  refresh_token_reused: unauthorized(
    'Refresh token reused',
    'An old refresh token was used again after its successor was used. The session was ended.',
    'Start a new session, and find out who else holds the old token.',
  ),
  cross_site_request: forbidden(
    'Cross-site request',
    'The request comes from a page of another origin. The operations of the console accept only requests of its own pages.',
    'Use the API with a credential: it accepts requests from anywhere.',
  ),
  wrong_credential_kind: forbidden(
    'Wrong kind of credential',
    'The credential is valid, but this operation does not accept its kind.',
    'Use one of the kinds that the response names.',
  ),
  permission_denied: forbidden(
    'Permission denied',
    'The caller does not have the permission for this operation.',
    'Ask an owner or admin of the workspace for a role with this permission.',
  ),
  key_scope_denied: forbidden(
    'Outside the restrictions of the key',
    'The request is outside the restrictions of the provision key.',
    'Use a key whose workspace, templates, actions and addresses cover the request.',
  ),
  device_not_approved: forbidden(
    'Device not approved',
    'The device is pending approval, or was rejected.',
    'Have a user approve it: POST /workspaces/{id}/devices/{device_id}/approve.',
  ),
  mfa_not_enrolled: conflict(
    'MFA is not enrolled',
    'This account has no authenticator to confirm or remove.',
    'Start enrolment with POST /auth/mfa/totp.',
  ),
  passkey_not_found: notFound(
    'Passkey not found',
    'The account has no such passkey.',
    'List the passkeys of the account.',
  ),
  mfa_already_enrolled: conflict(
    'MFA is already enrolled',
    'This account already has an authenticator.',
    'Remove it with DELETE /auth/mfa/totp first.',
  ),
  rate_limited: tooManyRequests(
    'Too many requests',
    'Too many requests.',
    'Wait for the number of seconds in `Retry-After`.',
  ),
  plan_limit_reached: tooManyRequests(
    'Plan limit reached',
    'The workspace has reached a limit of its plan.',
    'The member `limit` contains the limit, its value, the usage, and the seconds until it resets. Wait that long, or choose a larger plan. Requests that revoke, delete, rotate or register a known device again are never refused by it.',
  ),
  too_many_attempts: tooManyRequests(
    'Too many attempts',
    'Too many failed attempts.',
    'Wait for the number of seconds in `Retry-After` before the next attempt. If `limit` is `failed_attempts_of_account`, do not wait: send a `code` with the password, or sign in on a device that has the `known_device_token` of an earlier sign-in.',
  ),
} as const
