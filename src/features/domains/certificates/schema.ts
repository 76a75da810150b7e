/** Schemas of domains' certificates and their ACME orders. */
import Type, { type Static } from 'typebox'
import { NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

const MAX_CHAIN_LENGTH = 65_536
const MAX_KEY_LENGTH = 16_384

export const UploadCertificate = Type.Object({
  certificate_pem: Type.String({
    minLength: 1,
    maxLength: MAX_CHAIN_LENGTH,
    description:
      'The certificate and its chain in PEM: the certificate first, then each issuer after what it has signed. A publicly trusted root can be omitted.',
  }),
  private_key_pem: Type.String({
    minLength: 1,
    maxLength: MAX_KEY_LENGTH,
    description:
      'Its private key in PEM, not encrypted: RSA with 2,048 to 4,096 bits, ECDSA on P-256 or P-384, or Ed25519. It is stored encrypted and never returned.',
  }),
})
export type UploadCertificate = Static<typeof UploadCertificate>

const Challenge = Type.Enum(['http-01', 'dns-01'], {
  description:
    '`http-01`: the authority requests `/.well-known/acme-challenge/…` on port 80 of the domain, and the service responds. `dns-01`: an operator of the domain creates a TXT record and calls `…/continue`.',
})

export const CertificateView = NamedObject('DomainCertificate', {
  source: Type.Enum(['upload', 'acme']),
  challenge: Nullable(Challenge),
  names: Type.Array(Type.String(), { description: 'The DNS names in the certificate.' }),
  issuer: Type.String(),
  serial_number: Text('Hexadecimal.'),
  fingerprint_sha256: Text('SHA-256 of its DER form, 64 hex digits.'),
  key_type: Text('The type of the key: `RSA 2048`, `P-256` or `Ed25519`, for example.'),
  not_before: Timestamp,
  not_after: Timestamp,
  renew_at: Nullable(Timestamp),
  created_at: Timestamp,
})
export type CertificateView = Static<typeof CertificateView>

export const OrderCertificate = Type.Object({ challenge: Challenge })
export type OrderCertificate = Static<typeof OrderCertificate>

export const AcmeOrderView = NamedObject('AcmeOrder', {
  status: Type.Enum([
    'ordering',
    'waiting',
    'validating',
    'finalizing',
    'issued',
    'failed',
    'cancelled',
  ]),
  challenge: Challenge,
  is_renewal: Type.Boolean(),
  record: Nullable(
    Type.Object({ type: Type.Enum(['TXT']), name: Type.String(), value: Type.String() }),
    '`dns-01`, once the order is `waiting`: the DNS record to create.',
  ),
  problem: Nullable(Type.String(), 'The last error, often with the message of the authority.'),
  next_try_at: Nullable(Timestamp),
  expires_at: Timestamp,
  created_at: Timestamp,
  ended_at: Nullable(Timestamp),
})
export type AcmeOrderView = Static<typeof AcmeOrderView>
