/** Operations on domains' certificates. */
import type { Services } from '../../../context.ts'
import { operationGroupOf } from '../../../platform/http/operation.ts'
import { type AcmeServices, continueOrder, getOrder, orderCertificate } from './acme-order.ts'
import { getCertificate, removeCertificate, uploadCertificate } from './certificate.ts'
import { AcmeOrderView, CertificateView, OrderCertificate, UploadCertificate } from './schema.ts'

const operation = operationGroupOf<Services & AcmeServices>()({
  tag: 'Domains',
  access: ['user', 'platform-key'],
})

const path = '/workspaces/:id/domains/:domain_id/certificate'

export const domainCertificateOperations = [
  operation({
    id: 'uploadDomainCertificate',
    route: `PUT ${path}`,
    summary: 'Upload the certificate of a domain',
    description:
      'For a verified domain. The key must match, the names must cover the domain, and the chain must be ordered and lead to a root. Replaces the current certificate and cancels an ACME order in progress. Every process uses it from its next poll for changes on, without a restart. The error explains each defect.',
    permission: 'domains.write',
    isPlanFree: true,
    body: UploadCertificate,
    returns: { 200: CertificateView },
    fails: ['domain_not_found', 'invalid_transition', 'precondition_failed'],
    example: {
      certificate_pem: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
      private_key_pem: 'The same of its private key.',
    },
    run: (context, { params: { domain_id }, body }) => uploadCertificate(context, domain_id, body),
  }),
  operation({
    id: 'getDomainCertificate',
    route: `GET ${path}`,
    summary: 'Get the certificate of a domain',
    description: 'Public information about the certificate. The private key is never returned.',
    permission: 'domains.read',
    isPlanFree: true,
    returns: { 200: CertificateView },
    fails: ['domain_not_found', 'certificate_not_found'],
    run: (context, { params: { domain_id } }) => getCertificate(context, domain_id),
  }),
  operation({
    id: 'removeDomainCertificate',
    route: `DELETE ${path}`,
    summary: 'Remove the certificate of a domain',
    description:
      'Deletes its private key and cancels an ACME order and renewals. TLS clients then get the certificate of the installation. Repeating the call succeeds.',
    permission: 'domains.write',
    bucket: 'safety',
    returns: { 204: null },
    fails: ['domain_not_found', 'precondition_failed'],
    run: (context, { params: { domain_id } }) => removeCertificate(context, domain_id),
  }),
  operation({
    id: 'orderDomainCertificate',
    route: `POST ${path}/acme`,
    summary: 'Order a certificate by ACME',
    description:
      'For a verified domain. The order is processed in the background; GET at the same path returns its progress. `http-01` needs no action. With `dns-01` the order becomes `waiting` and contains the TXT record to create; then call `…/continue`. The certificate is renewed automatically in the same way after two thirds of its lifetime; with `dns-01` an event announces the next record to create.',
    permission: 'domains.write',
    isPlanFree: true,
    body: OrderCertificate,
    returns: { 202: AcmeOrderView },
    fails: [
      'domain_not_found',
      'invalid_transition',
      'acme_off',
      'acme_order_open',
      'limit_reached',
    ],
    example: { challenge: 'http-01' },
    run: (context, { params: { domain_id }, body }) => orderCertificate(context, domain_id, body),
  }),
  operation({
    id: 'getDomainCertificateOrder',
    route: `GET ${path}/acme`,
    summary: 'Get the latest certificate order',
    permission: 'domains.read',
    isPlanFree: true,
    returns: { 200: AcmeOrderView },
    fails: ['domain_not_found', 'acme_order_not_found'],
    run: (context, { params: { domain_id } }) => getOrder(context, domain_id),
  }),
  operation({
    id: 'continueDomainCertificateOrder',
    route: `POST ${path}/acme/continue`,
    summary: 'Continue an order after creating the TXT record',
    description:
      'For an order with `dns-01` that is `waiting`. The authority checks immediately, and only once: make sure that every name server of the domain serves the record. Repeating the call succeeds.',
    permission: 'domains.write',
    isPlanFree: true,
    returns: { 202: AcmeOrderView },
    fails: ['domain_not_found', 'acme_order_not_found', 'invalid_transition'],
    run: (context, { params: { domain_id } }) => continueOrder(context, domain_id),
  }),
]
