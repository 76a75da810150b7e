/**
 * The identifier under which an authority is asked about a certificate that it issued (RFC 9773
 * section 4.1): two values of its DER encoding.
 */
import { X509Certificate } from 'node:crypto'

interface Element {
  tag: number
  body: Buffer
}

const [INTEGER, OID, OCTETS, KEY_IDENTIFIER, EXTENSIONS] = [0x02, 0x06, 0x04, 0x80, 0xa3]
/** `id-ce-authorityKeyIdentifier`, 2.5.29.35 (RFC 5280 section 4.2.1.1). */
const AUTHORITY_KEY_IDENTIFIER = Buffer.of(0x55, 0x1d, 0x23)

/** The consecutive elements of DER that Node has already parsed, so lengths are valid. */
function elementsOf(bytes: Buffer | undefined): Element[] {
  const elements: Element[] = []
  let rest = bytes ?? Buffer.alloc(0)
  while (rest.length > 1) {
    const [tag, first] = [rest.readUInt8(0), rest.readUInt8(1)]
    const more = first < 0x80 ? 0 : first & 0x7f
    const length = more === 0 ? first : rest.readUIntBE(2, more)
    const body = rest.subarray(2 + more, 2 + more + length)
    elements.push({ tag, body })
    rest = rest.subarray(2 + more + length)
  }
  return elements
}

const bodyOf = (elements: readonly Element[], tag: number): Buffer | undefined =>
  elements.find((each) => each.tag === tag)?.body

function keyIdentifierOf(extensions: Buffer | undefined): Buffer | undefined {
  const [list] = elementsOf(extensions)
  for (const { body } of elementsOf(list?.body)) {
    const parts = elementsOf(body)
    if (bodyOf(parts, OID)?.equals(AUTHORITY_KEY_IDENTIFIER) !== true) continue
    const [identifier] = elementsOf(bodyOf(parts, OCTETS))
    return bodyOf(elementsOf(identifier?.body), KEY_IDENTIFIER)
  }
  return undefined
}

/** @param pem only the first certificate counts @returns undefined if it has no identifier */
export function certificateIdOf(pem: string): string | undefined {
  const [certificate] = elementsOf(new X509Certificate(pem).raw)
  const [signed] = elementsOf(certificate?.body)
  const parts = elementsOf(signed?.body)
  const [serial, keyIdentifier] = [
    bodyOf(parts, INTEGER),
    keyIdentifierOf(bodyOf(parts, EXTENSIONS)),
  ]
  if (serial === undefined || keyIdentifier === undefined) return undefined
  return `${keyIdentifier.toString('base64url')}.${serial.toString('base64url')}`
}
