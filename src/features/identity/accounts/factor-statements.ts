/** Second factors of an account, as parts of statements: `u` is its row. */

export const hasAuthenticator = `EXISTS (
  SELECT FROM user_totp t WHERE t.user_id = u.id AND t.confirmed_at IS NOT NULL)`

/** An authenticator, or a passkey. */
export const hasFactor = `(${hasAuthenticator}
  OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id))`
