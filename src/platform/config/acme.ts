/** Configuration variables of ACME certificates (RFC 8555). */
import { optional, orUnset, port } from './kinds.ts'

export const acmeVariables = {
  acmeDirectoryUrl: optional(
    'MOORING_ACME_DIRECTORY_URL',
    'no certificates by ACME',
    'Directory of the authority that certificates of domains are ordered from, as https://acme-v02.api.letsencrypt.org/directory. To set it is to agree to its terms of service.',
  ),
  acmeContact: optional(
    'MOORING_ACME_CONTACT',
    'none',
    'Mail address that the authority may write to.',
  ),
  acmeCaFile: optional(
    'MOORING_ACME_CA_FILE',
    'the roots that everybody knows',
    'PEM file with the root of a private ACME server.',
  ),
  acmeKeyId: optional(
    'MOORING_ACME_EAB_KEY_ID',
    'none',
    'Key id of the external account binding, where the authority asks for one.',
  ),
  acmeHmacKey: optional(
    'MOORING_ACME_EAB_HMAC_KEY',
    'required with MOORING_ACME_EAB_KEY_ID',
    'Its HMAC key, in base64url.',
    true,
  ),
  acmeHttpPort: orUnset(
    port(
      'MOORING_ACME_HTTP_PORT',
      80,
      'Port of a listener on the address of the API that only responds to http-01 challenges. Authorities connect to port 80.',
    ),
    'closed: only the port of the API responds to challenges',
  ),
} as const
