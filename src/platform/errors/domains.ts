/** Failures of domains. */
import { conflict, entry, notFound } from './entry.ts'

export const domains = {
  domain_not_found: notFound(
    'Domain not found',
    'There is no such domain in this workspace.',
    'List the domains of the workspace.',
  ),
  domain_exists: conflict(
    'Domain exists',
    'The workspace already has this domain.',
    'List the domains of the workspace; for another purpose delete it first.',
  ),
  domain_taken: conflict(
    'Domain taken',
    'Another workspace has verified this domain.',
    'Delete it in the other workspace. Or keep your DNS record and remove the record of the other workspace: its domain lapses after seven days.',
  ),
  domain_not_verified: conflict(
    'Domain not verified',
    'The record that proves the domain was not found in the DNS.',
    'Create the TXT record of the domain, wait until the DNS returns it, and try again.',
  ),
  misdirected_request: entry(
    421,
    'Misdirected request',
    'The API is not available at this host name.',
    'Use the host name of the service, or a domain whose purpose is `api`.',
  ),
} as const
