/** The authorities that everybody knows: those that Node brings, and what the operator adds. */
import { X509Certificate } from 'node:crypto'
import { getCACertificates } from 'node:tls'

/** Made for the first upload: reading some hundred certificates takes a while. */
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

/** Whether a known root has signed it, or it is one that another root has signed too. */
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
