/** Failures of domains. */
import { entry } from './entry.ts'

export const domains = {
  domain_not_found: entry(
    404,
    'Domain not found',
    'There is no such domain in this workspace.',
    'List the domains of the workspace.',
  ),
  domain_exists: entry(
    409,
    'Domain exists',
    'The workspace has this domain already.',
    'List the domains of the workspace; for another purpose delete it first.',
  ),
  domain_taken: entry(
    409,
    'Domain taken',
    'Another workspace has verified this domain.',
    'Delete it there; or keep your record, and remove the one of the other workspace: its domain lapses after seven days.',
  ),
  domain_not_verified: entry(
    409,
    'Domain not verified',
    'The record that proves the domain was not found in the DNS.',
    'Create the TXT record that the domain names, wait until the DNS shows it, and ask again.',
  ),
  misdirected_request: entry(
    421,
    'Misdirected request',
    'This host name is not one for the API.',
    'Use the host name of the service, or a domain whose purpose is `api`.',
  ),
} as const
