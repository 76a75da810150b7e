/** Addresses that no webhook may be sent to, in every form that some parser takes. */

/** One of each network that is not of the open Internet, and those that are asked for most. */
const ipv4 = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.1.2.3',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.254',
  '192.0.0.192',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
] as const

const ipv6 = [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::0001',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2001:10::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fdff:ffff::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'ff05::2',
] as const

const hex = (byte: number): string => byte.toString(16).padStart(2, '0')
const wide = (text: string): string =>
  text.replaceAll(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))

function formsOfIpv4(address: string): string[] {
  const bytes = address.split('.').map(Number) as [number, number, number, number]
  const [a, b, c, d] = bytes
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const groups = `${hex(a)}${hex(b)}:${hex(c)}${hex(d)}`
  return [
    address,
    `${address}.`,
    String(number),
    `0x${number.toString(16)}`,
    `0X${number.toString(16).toUpperCase()}`,
    `0${number.toString(8)}`,
    bytes.map((byte) => `0x${hex(byte)}`).join('.'),
    bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
    bytes.map((byte) => `000${byte.toString(8)}`).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `0x${hex(a)}.${b}.0${c.toString(8)}.${d}`,
    wide(address),
    address.replaceAll('.', '\u3002'),
    address.replaceAll(/\d/g, (digit) => `%3${digit}`),
    `[::ffff:${address}]`,
    `[::ffff:${groups}]`,
    `[0:0:0:0:0:FFFF:${address}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${groups}]`,
    `[2002:${groups}::]`,
    `[2001:0:${groups}::1]`,
  ]
}

const names = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'localhost.localdomain.local',
  'router',
  'printer.local',
  'metadata.google.internal',
  'instance-data.ec2.internal',
  'kubernetes.default.svc.cluster.local',
  'nas.lan',
  'fritz.home.arpa',
  'db.intranet',
  'x.test',
  'x.invalid',
]

/** Hosts as they may stand in a URL. */
export const insideHosts: readonly string[] = [
  ...ipv4.flatMap(formsOfIpv4),
  ...ipv6.flatMap((address) => [`[${address}]`, `[${address.toUpperCase()}]`]),
  '[fe80::1%25lo]',
  '[::1%25lo]',
  '127.1',
  '127.0.1',
  '0',
  '0x0',
  ...names,
]

/** Addresses that a name server may answer with. */
export const insideAddresses: readonly string[] = [...ipv4, ...ipv6]
