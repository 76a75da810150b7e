/**
 * Checks an uploaded TLS server certificate (RFC 5280, RFC 6125) before it is stored: its key
 * matches and is strong, its names cover the host, its chain is ordered and leads to a root.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext, getCACertificates } from 'node:tls'

/** Trusted roots: Node's, and those that the operator adds. Created for the first
 * upload: parsing a hundred certificates takes a while. */
let known: Map<string, X509Certificate[]> | undefined

function knownRoots(): Map<string, X509Certificate[]> {
  const read = () => getCACertificates('default').map((pem) => new X509Certificate(pem))
  known ??= Map.groupBy(read(), ({ subject }) => subject)
  return known
}

const isSelfSigned = (certificate: X509Certificate): boolean =>
  certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey)

/** Whether a known root signed it, or it is a known root that another root cross-signed. */
function isRootKnown(certificate: X509Certificate): boolean {
  const { issuer, subject, publicKey } = certificate
  const signs = (root: X509Certificate): boolean =>
    certificate.checkIssued(root) && certificate.verify(root.publicKey)
  const isSame = (root: X509Certificate): boolean => root.publicKey.equals(publicKey)
  const roots = knownRoots()
  return roots.get(issuer)?.some(signs) === true || roots.get(subject)?.some(isSame) === true
}

/** Why a certificate is refused; completes "The certificate …" or "The key …". */
export class CertificateRefused extends Error {
  override name = 'CertificateRefused'
  readonly part: 'chain' | 'key'

  constructor(part: 'chain' | 'key', message: string) {
    super(message)
    this.part = part
  }
}

/** The public facts of a certificate. Times are in milliseconds since the epoch. */
export interface CertificateFacts {
  /** DNS names as written in it. */
  names: string[]
  issuer: string
  /** Hexadecimal, upper case. */
  serialNumber: string
  /** SHA-256 of the DER form: 64 lower-case hex digits. */
  fingerprint: string
  /** Such as `RSA 2048`, `P-256` or `Ed25519`. */
  keyType: string
  notBefore: number
  notAfter: number
}

export interface CheckedCertificate {
  /** Leaf first, certificates only. */
  chainPem: string
  /** PKCS #8. */
  keyPem: string
  facts: CertificateFacts
}

export interface CertificateRequirements {
  /** The host name that it must cover, in lower case. */
  host: string
  /** Milliseconds since the epoch. */
  now: number
  /**
   * Whether the chain must lead to a root that it contains or that is well known. A chain received
   * by ACME (RFC 8555) is known to.
   */
  complete: boolean
}

const MAX_CHAIN = 10
const MAX_NAMES = 100
const MAX_ISSUER = 300
const MIN_RSA_BITS = 2_048
/** Signing cost grows with the cube of the length, and all handshakes wait for it. */
const MAX_RSA_BITS = 4_096
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1'
const ANY_PURPOSE = '2.5.29.37.0'

const refuse = (part: 'chain' | 'key', message: string): never => {
  throw new CertificateRefused(part, message)
}

/** A labelled block of PEM (RFC 7468). */
interface PemBlock {
  /** Such as `CERTIFICATE`. */
  label: string
  /** The lines between the delimiters that are not blank. */
  lines: string[]
}

const UNMATCHED = 'is not PEM: a BEGIN or END line has no match'
const MARK = /^-----(BEGIN|END) ([A-Z0-9][A-Z0-9 ]{0,40})-----$/

/** The blocks of a text, in order, with any text between them, as tools write it. */
function readPemBlocks(part: 'chain' | 'key', text: string): PemBlock[] {
  const blocks: PemBlock[] = []
  let open: PemBlock | undefined
  for (const line of text.split('\n')) {
    const trimmed = line.trim()
    const [, mark, label = ''] = MARK.exec(trimmed) ?? []
    if (mark === 'BEGIN') {
      if (open !== undefined) return refuse(part, UNMATCHED)
      open = { label, lines: [] }
    } else if (mark === 'END') {
      if (open?.label !== label) return refuse(part, UNMATCHED)
      blocks.push(open)
      open = undefined
    } else if (trimmed !== '') {
      open?.lines.push(trimmed)
    }
  }
  return open === undefined ? blocks : refuse(part, UNMATCHED)
}

/** Formats a block with lines of 64 characters. */
const writePem = ({ label, lines }: PemBlock): string =>
  `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`

function readChain(text: string): X509Certificate[] {
  const blocks = readPemBlocks('chain', text)
  if (blocks.length === 0) return refuse('chain', 'contains no PEM certificate')
  if (blocks.length > MAX_CHAIN)
    return refuse('chain', `contains more than ${MAX_CHAIN} certificates`)
  return blocks.map((block, index) => {
    if (block.label.endsWith('PRIVATE KEY')) {
      return refuse('chain', 'contains a private key, which belongs only in private_key_pem')
    }
    if (block.label !== 'CERTIFICATE')
      return refuse('chain', 'contains something other than certificates')
    try {
      return new X509Certificate(writePem(block))
    } catch {
      return refuse('chain', `cannot be parsed: certificate ${index + 1} is malformed`)
    }
  })
}

const KEY_LABELS = ['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY']

function readKey(text: string): KeyObject {
  const blocks = readPemBlocks('key', text).filter(({ label }) => label !== 'EC PARAMETERS')
  const [block] = blocks
  if (block === undefined) return refuse('key', 'contains no PEM private key')
  const isEncrypted =
    block.label === 'ENCRYPTED PRIVATE KEY' ||
    block.lines.some((line) => line.startsWith('Proc-Type:'))
  if (isEncrypted) return refuse('key', 'is encrypted: send it without a passphrase')
  if (blocks.length > 1 || !KEY_LABELS.includes(block.label)) {
    return refuse('key', 'must hold one private key and nothing else')
  }
  try {
    return createPrivateKey(writePem(block))
  } catch {
    return refuse('key', 'cannot be parsed: it is malformed, or of an unknown kind')
  }
}

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384' }

/** The type of a key that is strong enough and not too slow. */
function keyTypeOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string {
  if (type === 'ed25519') return 'Ed25519'
  if (type === 'ec') {
    const curve = CURVES[details?.namedCurve ?? '']
    return curve ?? refuse('key', 'is on another curve than P-256 and P-384')
  }
  const bits = details?.modulusLength ?? 0
  if (type !== 'rsa') return refuse('key', 'must be an RSA, ECDSA or Ed25519 key')
  if (bits < MIN_RSA_BITS) return refuse('key', `is too weak: RSA needs ${MIN_RSA_BITS} bits`)
  if (bits > MAX_RSA_BITS) return refuse('key', `is too long: RSA may have ${MAX_RSA_BITS} bits`)
  return `RSA ${bits}`
}

function requireOrder(chain: readonly X509Certificate[], key: KeyObject): void {
  const [leaf] = chain as [X509Certificate]
  if (!leaf.checkPrivateKey(key)) {
    const isOfAnother = chain.some((each) => each.checkPrivateKey(key))
    return isOfAnother
      ? refuse('chain', 'is out of order: the certificate of the key has to stand first')
      : refuse('key', 'does not belong to the first certificate')
  }
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index + 1]
    if (issuer === undefined) return
    if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) {
      const place = `certificate ${index + 1} is not signed by certificate ${index + 2}`
      return refuse('chain', `is out of order: ${place}`)
    }
    if (!issuer.ca) refuse('chain', `contains an issuer that is not an authority: ${index + 2}`)
  }
}

function requireRoot(chain: readonly X509Certificate[]): void {
  const last = chain.at(-1) as X509Certificate
  if (isSelfSigned(last) || isRootKnown(last)) return
  const which = chain.length === 1 ? 'the intermediate certificates are' : 'a certificate is'
  refuse('chain', `is incomplete: ${which} missing, or the root of a private authority`)
}

function requireTimes(chain: readonly X509Certificate[], now: number): void {
  for (const [index, { validFromDate, validToDate }] of chain.entries()) {
    const which = index === 0 ? '' : `: certificate ${index + 1} of the chain`
    if (validToDate.getTime() <= now) refuse('chain', `has expired${which}`)
    if (validFromDate.getTime() > now) refuse('chain', `is not valid yet${which}`)
  }
}

const dnsNamesOf = (certificate: X509Certificate): string[] =>
  (certificate.subjectAltName ?? '')
    .split(', ')
    .filter((each) => each.startsWith('DNS:') && !each.includes('"'))
    .map((each) => each.slice('DNS:'.length))

function requireHost(leaf: X509Certificate, host: string): void {
  if (dnsNamesOf(leaf).length > MAX_NAMES) refuse('chain', `has more than ${MAX_NAMES} names`)
  const covers = leaf.checkHost(host, { subject: 'never', partialWildcards: false })
  if (covers === undefined) refuse('chain', 'is for other names: none of them is the domain')
  // Extended key usage; without it, a certificate is valid for all purposes.
  const purposes: readonly string[] | undefined = leaf.keyUsage
  const isForServers = (id: string): boolean => id === SERVER_AUTHENTICATION || id === ANY_PURPOSE
  if (purposes !== undefined && !purposes.some(isForServers)) {
    refuse('chain', 'is not meant for servers')
  }
}

const factsOf = (leaf: X509Certificate, keyType: string): CertificateFacts => ({
  names: dnsNamesOf(leaf),
  issuer: leaf.issuer.replaceAll('\n', ', ').slice(0, MAX_ISSUER),
  serialNumber: leaf.serialNumber,
  fingerprint: leaf.fingerprint256.replaceAll(':', '').toLowerCase(),
  keyType,
  notBefore: leaf.validFromDate.getTime(),
  notAfter: leaf.validToDate.getTime(),
})

/** The TLS library decides last: it refuses weak signatures. */
function requireUsable(cert: string, key: string): void {
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    const { reason = 'unknown' } = error as { reason?: string }
    refuse('chain', `cannot be used for TLS: ${reason}`)
  }
}

/** @throws CertificateRefused */
export function checkCertificate(
  given: { chainPem: string; keyPem: string },
  { host, now, complete }: CertificateRequirements,
): CheckedCertificate {
  const chain = readChain(given.chainPem)
  const key = readKey(given.keyPem)
  const keyType = keyTypeOf(key)
  const [leaf] = chain as [X509Certificate]
  requireOrder(chain, key)
  requireTimes(chain, now)
  requireHost(leaf, host)
  if (complete) requireRoot(chain)
  const chainPem = chain.map((each) => each.toString()).join('')
  const keyPem = key.export({ type: 'pkcs8', format: 'pem' }) as string
  requireUsable(chainPem, keyPem)
  return { chainPem, keyPem, facts: factsOf(leaf, keyType) }
}
