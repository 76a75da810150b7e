/**
 * Generates X.509 certificates for tests (RFC 5280), since Node can only read them. Contains only
 * what TLS between two Nodes requires.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

export interface Certificate {
  /** PEM. */
  cert: string
  /** PEM, PKCS #8. */
  key: string
}

interface Issuer {
  name: string
  privateKey: KeyObject
}

export interface Wanted {
  hosts: readonly string[]
  /** Two years, at whose beginnings it begins and ends to be valid. */
  years?: readonly [number, number]
  /** By default an EC key on P-256. */
  keys?: KeyPair
  /** Bytes of the integer; random by default. */
  serial?: Uint8Array
  /** Its name for the key of its issuer; by default none. */
  authorityKeyId?: Uint8Array
}

export interface Authority extends Certificate {
  /** A certificate for these host names and IPv4 addresses. */
  issue(...hosts: string[]): Certificate
  issueAs(wanted: Wanted): Certificate
  /** Another authority, which this one vouches for. */
  subordinate(name: string): Authority
}

export interface KeyPair {
  privateKey: KeyObject
  publicKey: KeyObject
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  if (length < 128) return Buffer.concat([Buffer.of(tag, length), body])
  const head = length < 256 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), body])
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts)
const oid = (...bytes: readonly number[]): Buffer => der(0x06, Buffer.from(bytes))
const utcTime = (year: number): Buffer => der(0x17, Buffer.from(`${year % 100}0101000000Z`))

const ECDSA_WITH_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const VALID: readonly [number, number] = [2024, 2049]

const nameOf = (text: string): Buffer =>
  sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(text)))))

const extension = (id: number, value: Buffer): Buffer =>
  sequence(oid(0x55, 0x1d, id), der(0x04, value))

const subjectAltName = (hosts: readonly string[]): Buffer =>
  sequence(
    ...hosts.map((host) =>
      isIPv4(host)
        ? der(0x87, Buffer.from(host.split('.').map(Number)))
        : der(0x82, Buffer.from(host)),
    ),
  )

const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`

const newKeys = (): KeyPair => generateKeyPairSync('ec', { namedCurve: 'P-256' })

interface Subject {
  name: string
  /** Undefined: itself. */
  issuer: Issuer | undefined
  isAuthority: boolean
}

function make({ name, issuer, isAuthority }: Subject, wanted: Wanted) {
  const { hosts, years, keys, authorityKeyId } = wanted
  const { serial = Buffer.concat([Buffer.of(1), randomBytes(8)]) } = wanted
  const { privateKey, publicKey } = keys ?? newKeys()
  const by = issuer ?? { name, privateKey }
  const [from, until] = years ?? VALID
  const basicConstraints = extension(
    0x13,
    sequence(...(isAuthority ? [der(1, Buffer.of(255))] : [])),
  )
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, serial),
    ECDSA_WITH_SHA256,
    nameOf(by.name),
    sequence(utcTime(from), utcTime(until)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        basicConstraints,
        ...(isAuthority ? [] : [extension(0x11, subjectAltName(hosts))]),
        ...(authorityKeyId ? [extension(0x23, sequence(der(0x80, authorityKeyId)))] : []),
      ),
    ),
  )
  const signature = sign('sha256', signed, by.privateKey)
  const bytes = sequence(signed, ECDSA_WITH_SHA256, der(0x03, Buffer.of(0), signature))
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  return { privateKey, cert: pem('CERTIFICATE', bytes), key }
}

/** The root unless an issuer is given. */
export function makeAuthority(name = 'Test authority', by?: Issuer): Authority {
  const { privateKey, cert, key } = make({ name, issuer: by, isAuthority: true }, { hosts: [] })
  const issuer = { name, privateKey }
  const issueAs = (wanted: Wanted): Certificate =>
    make({ name: wanted.hosts[0] ?? 'nobody', issuer, isAuthority: false }, wanted)
  return {
    cert,
    key,
    issue: (...hosts) => issueAs({ hosts }),
    issueAs,
    subordinate: (other) => makeAuthority(other, issuer),
  }
}
