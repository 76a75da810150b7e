/**
 * The service's own login at a broker that uses our hooks. It is in the brokers file, so the broker
 * needs no second authentication source.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { BrokerEntry } from '../broker-entry.ts'
import type { ConnectDecision, Grant, TopicRule } from '../port.ts'
import { REPORTS } from '../topics.ts'

/** It subscribes to what devices report and publishes to all of them. */
const rules: readonly TopicRule[] = Object.freeze([
  ...REPORTS.map(
    (suffix): TopicRule => ({ action: 'subscribe', topic: `+/+/${suffix}`, permission: 'allow' }),
  ),
  { action: 'publish', topic: '#', permission: 'allow' },
])

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const grantOf = (username: string): Grant => ({
  principalId: username,
  workspaceId: '',
  credentialVersion: 0,
  topicPrefix: username,
  isFirst: false,
  expiresAt: null,
  rules,
})

/** Whether this is the service's user name at this broker. */
export const isService = ({ mqtt }: BrokerEntry, username: string | undefined): boolean =>
  mqtt !== undefined && mqtt.username === username

/** The rights of the connected service. */
export const serviceRights = (username: string): ConnectDecision => ({
  accepted: true,
  grant: grantOf(username),
})

/** Decides a CONNECT as the service. */
export function admitService({ mqtt }: BrokerEntry, password: string | undefined): ConnectDecision {
  const isRight =
    mqtt !== undefined &&
    password !== undefined &&
    timingSafeEqual(digest(password), digest(mqtt.password))
  return isRight ? serviceRights(mqtt.username) : { accepted: false, reason: 'bad_credentials' }
}
