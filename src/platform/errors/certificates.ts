/** Failures of certificates and ACME orders. */
import { conflict, notFound } from './entry.ts'

export const certificates = {
  certificate_not_found: notFound(
    'Certificate not found',
    'The domain has no certificate.',
    'Upload one, or order one by ACME.',
  ),
  acme_off: conflict(
    'ACME is not configured',
    'ACME is not configured in this installation.',
    'Upload a certificate, or ask the operator to set MOORING_ACME_DIRECTORY_URL.',
  ),
  acme_order_not_found: notFound(
    'Order not found',
    'There is no ACME order for this domain, or it is no longer stored.',
    'Order one.',
  ),
  acme_order_open: conflict(
    'Order in progress',
    'An order for a certificate of this domain is already in progress.',
    'Read the order. Deleting the certificate ends it.',
  ),
} as const
