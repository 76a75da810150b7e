/**
 * Every column of bytes is either encrypted again when the master key is replaced, or is said here
 * to be none of those: a secret that a list has deleted would stay under the earlier key.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { encryptedColumns } from '../../src/commands/master-key/encrypted-columns.ts'
import { ROOT } from '../support/sources.ts'

const because = {
  hash: 'a hash that nobody can invert, of random bits or of what is public',
  salt: 'random, and of use with a root key only',
  plain: 'not a secret',
  renewed: 'signed again by the renewal of chains',
  credential: 'encrypted for a credential as well, and deleted after a day',
}

const others: Readonly<Record<string, keyof typeof because>> = {
  'api_keys.hash': 'hash',
  'audit_anchors.hash': 'plain',
  'audit_batches.hashes': 'plain',
  'audit_chains.hash': 'plain',
  'audit_chains.mac': 'renewed',
  'audit_chains.pruned_hash': 'plain',
  'audit_chains.pruned_mac': 'renewed',
  'audit_log.hash': 'plain',
  'authorization_codes.code_hash': 'hash',
  'authorization_codes.code_challenge': 'hash',
  'claims.code_hash': 'hash',
  'device_secrets.hash': 'hash',
  'failed_tries.subject': 'hash',
  'idempotency_keys.scope': 'hash',
  'idempotency_keys.key_hash': 'hash',
  'idempotency_keys.fingerprint': 'hash',
  'idempotency_keys.sealed': 'credential',
  'invitations.token_hash': 'hash',
  'mfa_challenges.salt': 'salt',
  'moid_mqtt_logins.hash': 'hash',
  'moid_sessions.salt': 'salt',
  'mqtt_messages.payload': 'plain',
  'mqtt_principal_secrets.hash': 'hash',
  'mqtt_retained_messages.payload': 'plain',
  'mqtt_retained_messages.properties': 'plain',
  'mqtt_retained_messages.topic_hash': 'plain',
  'mqtt_stored_messages.payload': 'plain',
  'mqtt_stored_messages.properties': 'plain',
  'one_time_links.token_hash': 'hash',
  'passkeys.credential_id': 'plain',
  'passkeys.public_key': 'plain',
  'payments.request_key': 'hash',
  'registration_answers.sealed': 'credential',
  // The root keys themselves, which `finish` leaves under one master key.
  'root_keys.sealed': 'renewed',
  'signing_keys.public_key': 'plain',
  'used_passkey_challenges.challenge': 'plain',
  'sso_attempts.browser_hash': 'hash',
  'sso_attempts.state_hash': 'hash',
  'sso_links.browser_hash': 'hash',
  'sso_links.token_hash': 'hash',
  'user_recovery_codes.code_hash': 'hash',
  'sign_in_codes.code_hash': 'hash',
  'user_sessions.salt': 'salt',
}

test('each column of bytes is encrypted again, or is said not to be', () => {
  const schema = readFileSync(join(ROOT, 'schema.sql'), 'utf8')
  const found = schema.split('CREATE TABLE public.').flatMap((text) => {
    const [, table] = /^(\w+) \(/.exec(text) ?? []
    const columns = text.slice(0, text.indexOf('\n);')).matchAll(/^ {2}(\w+) bytea\b/gm)
    return [...columns].map(([, column]) => `${table}.${column}`)
  })
  const sealed = encryptedColumns.map(({ table, column }) => `${table}.${column}`)
  assert.deepEqual(found.toSorted(), [...sealed, ...Object.keys(others)].toSorted())
})
