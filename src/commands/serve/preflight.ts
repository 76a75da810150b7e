/** Checks everything that can be checked before anything is started. */
import { statSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { messageOf } from '../../platform/lib/system-errors.ts'
import { canonicalEmail, checkPassword } from '../../platform/access/passwords.ts'
import { readFont, readPlans } from '../../app/billing.ts'
import { readBrokers } from '../../app/brokers-file.ts'
import { refuse } from '../../platform/config/kinds.ts'
import { type Config, ConfigError, readPem, requestRoleOf } from '../../platform/config/config.ts'
import { readDatabaseUrl } from '../../platform/database/connection-url.ts'
import type { FirstOwner } from '../../features/workspaces/installation/installation.ts'
import { CreateWorkspace } from '../../features/workspaces/lifecycle/schema.ts'
import { bodyCheck } from '../../platform/http/validation.ts'
import { randomCrockford } from '../../platform/lib/crockford.ts'

/** Maps members to the variables that set them. */
export const bootstrapNames = {
  '/email': 'MOORING_BOOTSTRAP_EMAIL',
  '/password': 'MOORING_BOOTSTRAP_PASSWORD',
  '/slug': 'MOORING_BOOTSTRAP_WORKSPACE',
} as const

/** A password of 100 random bits that is easy to copy manually. */
export const makePassword = (): string =>
  (randomCrockford(20).toLowerCase().match(/.{5}/g) ?? []).join('-')

/** The owner and workspace that a first start would create. */
export function readOwner(config: Config): FirstOwner {
  const { bootstrapEmail: email, bootstrapWorkspace: slug } = config
  if (canonicalEmail(email) === undefined) {
    refuse(bootstrapNames['/email'], 'must be a plain e-mail address')
  }
  const password = config.bootstrapPassword ?? makePassword()
  // The variable may have stayed set since a first start under the rule of earlier versions, and is
  // unused now. A first start checks today's rule when it creates the account.
  const reason = checkPassword(password, { minCharacters: 8 })
  if (reason !== undefined) refuse(bootstrapNames['/password'], reason)
  const workspace = { name: slug, slug }
  try {
    bodyCheck(CreateWorkspace, 'refuse')(workspace)
  } catch {
    refuse(
      bootstrapNames['/slug'],
      'must have 3 to 40 lower-case letters, digits and hyphens, and begin with a letter',
    )
  }
  return { email, password, isInitial: config.bootstrapPassword === undefined, workspace }
}

function requireCertificate({ tlsCertFile, tlsKeyFile }: Config): void {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return
  const cert = readPem(tlsCertFile, 'MOORING_TLS_CERT_FILE')
  const key = readPem(tlsKeyFile, 'MOORING_TLS_KEY_FILE')
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new ConfigError(
      'MOORING_TLS_CERT_FILE and MOORING_TLS_KEY_FILE do not contain a certificate with its key: ' +
        messageOf(error),
    )
  }
}

function requireDatabaseUrl({ databaseUrl }: Config): void {
  if (databaseUrl === undefined) return
  try {
    readDatabaseUrl(databaseUrl)
  } catch (error) {
    throw new ConfigError(messageOf(error))
  }
}

/** @throws ConfigError */
export function requireUsable(config: Config): void {
  requireCertificate(config)
  readOwner(config)
  requireDatabaseUrl(config)
  if (config.brokersFile !== undefined) readBrokers(config.brokersFile)
  if (config.acmeCaFile !== undefined) readPem(config.acmeCaFile, 'MOORING_ACME_CA_FILE')
  readPlans(config.plansFile)
  readFont(config)
}

const isLoopback = (host: string): boolean => /^(127\.|::1$|localhost$)/.test(host)

const othersMayWrite = (folder: string): boolean =>
  ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o022) !== 0

/** Settings that are allowed but seldom intended. */
export function warningsOf(config: Config): string[] {
  const warnings: string[] = []
  if (requestRoleOf(config) === undefined) {
    warnings.push(
      'warning: MOORING_DATABASE_ROLE is none: requests run as the owner of the tables, and ' +
        'only the conditions of their statements isolate workspaces.',
    )
  }
  if (othersMayWrite(config.dataDir)) {
    warnings.push(
      `warning: other users can write to the data folder ${config.dataDir}, and so replace the ` +
        `files in it; run: chmod go-w ${config.dataDir}`,
    )
  }
  if (config.brokersFile !== undefined && !isLoopback(config.operatorHost)) {
    warnings.push(
      `warning: brokers call the hooks on ${config.operatorHost} without TLS and send the ` +
        'passwords of devices: use a private network, or terminate TLS in a proxy.',
    )
  }
  const isOpen = !isLoopback(config.httpHost) && config.tlsCertFile === undefined
  if (!isOpen || config.trustedProxies.length > 0) return warnings
  return [
    ...warnings,
    `warning: the API listens on ${config.httpHost} without TLS: passwords and keys cross the ` +
      'network in the clear. Set MOORING_TLS_CERT_FILE and MOORING_TLS_KEY_FILE, or terminate ' +
      'TLS in a proxy and name it in MOORING_TRUSTED_PROXIES.',
  ]
}
