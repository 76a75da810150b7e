/** Failures of certificates and ACME orders. */
import { entry } from './entry.ts'

export const certificates = {
  certificate_not_found: entry(
    404,
    'No certificate',
    'The domain has no certificate.',
    'Upload one, or order one by ACME.',
  ),
  acme_off: entry(
    409,
    'ACME is off',
    'This installation orders no certificates by ACME.',
    'Upload a certificate, or have the operator set MOORING_ACME_DIRECTORY_URL.',
  ),
  acme_order_not_found: entry(
    404,
    'No order',
    'No certificate was ordered for this domain by ACME, or it was long ago.',
    'Order one.',
  ),
  acme_order_open: entry(
    409,
    'Order under way',
    'A certificate of this domain is being ordered already.',
    'Read the order. Deleting the certificate ends it.',
  ),
} as const
