/** Operations on domains' certificates. */
import { operation, type Services } from '../../../context.ts'
import { respond, idParam, operationOf } from '../../../platform/http/operation.ts'
import { type AcmeServices, continueOrder, getOrder, orderCertificate } from './acme-order.ts'
import { getCertificate, removeCertificate, uploadCertificate } from './certificate.ts'
import { AcmeOrderView, CertificateView, OrderCertificate, UploadCertificate } from './schema.ts'

const acmeOperation = operationOf<Services & AcmeServices>()

const access = ['user', 'platform-key'] as const
const tag = 'Domains'
const params = {
  id: idParam('ws', 'workspace_not_found'),
  domain_id: idParam('dom', 'domain_not_found'),
}
const path = '/workspaces/:id/domains/:domain_id/certificate'

export const domainCertificateOperations = [
  operation({
    id: 'uploadDomainCertificate',
    method: 'PUT',
    path,
    tag,
    summary: 'Upload the certificate of a domain',
    description:
      'For a verified domain. The key must match, the names must cover the domain, and the chain must be ordered and lead to a root. Replaces the current certificate and cancels an ACME order in progress. Every process uses it within about a second, without a restart. The error explains each defect.',
    access,
    permission: 'domains.write',
    isPlanFree: true,
    params,
    body: UploadCertificate,
    returns: { 200: CertificateView },
    fails: ['domain_not_found', 'invalid_transition', 'precondition_failed'],
    example: {
      certificate_pem: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
      private_key_pem: 'The same of its private key.',
    },
    async run(context, { params: { domain_id }, body }) {
      const { view, revision } = await uploadCertificate(context, domain_id, body)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'getDomainCertificate',
    method: 'GET',
    path,
    tag,
    summary: 'Get the certificate of a domain',
    description: 'Public information about the certificate. The private key is never returned.',
    access,
    permission: 'domains.read',
    isPlanFree: true,
    params,
    returns: { 200: CertificateView },
    fails: ['domain_not_found', 'certificate_not_found'],
    async run(context, { params: { domain_id } }) {
      const { view, revision } = await getCertificate(context, domain_id)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'removeDomainCertificate',
    method: 'DELETE',
    path,
    tag,
    summary: 'Remove the certificate of a domain',
    description:
      'Deletes its private key and cancels an ACME order and renewals. TLS clients then get the certificate of the installation. Repeating the call succeeds.',
    access,
    permission: 'domains.write',
    bucket: 'safety',
    params,
    returns: { 204: null },
    fails: ['domain_not_found', 'precondition_failed'],
    async run(context, { params: { domain_id } }) {
      await removeCertificate(context, domain_id)
      return respond(204, null)
    },
  }),
  acmeOperation({
    id: 'orderDomainCertificate',
    method: 'POST',
    path: `${path}/acme`,
    tag,
    summary: 'Order a certificate by ACME',
    description:
      'For a verified domain. The order is processed in the background; GET at the same path returns its progress. `http-01` needs no action. With `dns-01` the order becomes `waiting` and contains the TXT record to create; then call `…/continue`. The certificate is renewed automatically in the same way after two thirds of its lifetime; with `dns-01` an event announces the next record to create.',
    access,
    permission: 'domains.write',
    isPlanFree: true,
    params,
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
    run: async (context, { params: { domain_id }, body }) =>
      respond(202, await orderCertificate(context, domain_id, body)),
  }),
  operation({
    id: 'getDomainCertificateOrder',
    method: 'GET',
    path: `${path}/acme`,
    tag,
    summary: 'Get the latest certificate order',
    access,
    permission: 'domains.read',
    isPlanFree: true,
    params,
    returns: { 200: AcmeOrderView },
    fails: ['domain_not_found', 'acme_order_not_found'],
    run: async (context, { params: { domain_id } }) =>
      respond(200, await getOrder(context, domain_id)),
  }),
  operation({
    id: 'continueDomainCertificateOrder',
    method: 'POST',
    path: `${path}/acme/continue`,
    tag,
    summary: 'Continue an order after creating the TXT record',
    description:
      'For an order with `dns-01` that is `waiting`. The authority checks immediately, and only once: make sure that every name server of the domain serves the record. Repeating the call succeeds.',
    access,
    permission: 'domains.write',
    isPlanFree: true,
    params,
    returns: { 202: AcmeOrderView },
    fails: ['domain_not_found', 'acme_order_not_found', 'invalid_transition'],
    run: async (context, { params: { domain_id } }) =>
      respond(202, await continueOrder(context, domain_id)),
  }),
]
