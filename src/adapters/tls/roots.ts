/** Trusted root certificates: Node's, and those that the operator adds. */
import { X509Certificate } from 'node:crypto'
import { getCACertificates } from 'node:tls'

/** Created for the first upload: parsing a hundred certificates takes a while. */
let known: Map<string, X509Certificate[]> | undefined

function knownRoots(): Map<string, X509Certificate[]> {
  if (known !== undefined) return known
  known = new Map()
  for (const pem of getCACertificates('default')) {
    const root = new X509Certificate(pem)
    known.set(root.subject, [...(known.get(root.subject) ?? []), root])
  }
  return known
}

export const isSelfSigned = (certificate: X509Certificate): boolean =>
  certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey)

/** Whether a known root signed it, or it is a known root that another root cross-signed. */
export function isRootKnown(certificate: X509Certificate): boolean {
  const { issuer, subject, publicKey } = certificate
  const signs = (root: X509Certificate): boolean =>
    certificate.checkIssued(root) && certificate.verify(root.publicKey)
  return (
    (knownRoots().get(issuer)?.some(signs) ?? false) ||
    (knownRoots()
      .get(subject)
      ?.some((root) => root.publicKey.equals(publicKey)) ??
      false)
  )
}
