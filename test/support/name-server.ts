/**
 * A DNS server on loopback (RFC 1035, UDP only) that responds with what a test puts into it, so
 * that our resolver need not be mocked.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { defer } from './cleanup.ts'

/** The records of a name. A list of strings is one TXT record; `silent` is a time-out. */
export interface Zone {
  txt?: readonly (string | readonly string[])[]
  a?: readonly string[]
  aaaa?: readonly string[]
  cname?: string
  fails?: 'servfail' | 'silent' | 'refused'
}

export interface NameServer {
  /** As `MOORING_DNS_SERVERS` takes it. */
  address: string
  /**
   * A name that is not in it does not exist (NXDOMAIN); an empty zone has no record of any type.
   */
  zones: Map<string, Zone>
  /** Names that were asked for, with their types, as `TXT example.com`. */
  asked: string[]
}

const TYPES: Readonly<Record<number, string>> = { 1: 'A', 5: 'CNAME', 16: 'TXT', 28: 'AAAA' }
const RCODES = { servfail: 2, refused: 5 } as const
const HEADER = 12
const NXDOMAIN = 3

interface Question {
  name: string
  type: number
  end: number
}

function readQuestion(query: Buffer): Question {
  const labels: string[] = []
  let at = HEADER
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

const encode = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split('.')
      .map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, 'latin1')])),
    Buffer.of(0),
  ])

/** An IPv6 address as it is sent; the URL parser writes it without dots. */
function bytesOf(address: string): Buffer {
  const { hostname } = new URL(`http://[${address}]/`)
  const [before = '', after] = hostname.slice(1, -1).split('::')
  const groups = (text = ''): string[] => (text === '' ? [] : text.split(':'))
  const [first, last] = [groups(before), groups(after)]
  const middle = Array<string>(8 - first.length - last.length).fill('0')
  const whole = after === undefined ? first : [...first, ...middle, ...last]
  return Buffer.from(whole.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

function recordOf(owner: string, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt32BE(300, 4)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([encode(owner), head, data])
}

const textOf = (strings: readonly string[]): Buffer =>
  Buffer.concat(
    strings.map((text) => Buffer.concat([Buffer.of(text.length), Buffer.from(text, 'latin1')])),
  )

/** The records of a response, along CNAMEs; undefined: the name is not there. */
function recordsOf(
  zones: ReadonlyMap<string, Zone>,
  name: string,
  type: number,
): Buffer[] | undefined {
  const zone = zones.get(name)
  if (zone === undefined) return undefined
  if (zone.cname !== undefined) {
    return [recordOf(name, 5, encode(zone.cname)), ...(recordsOf(zones, zone.cname, type) ?? [])]
  }
  if (type === 16) {
    return (zone.txt ?? []).map((each) => recordOf(name, type, textOf([each].flat())))
  }
  if (type === 28) {
    return (zone.aaaa ?? []).map((each) => recordOf(name, type, bytesOf(each)))
  }
  if (type !== 1) return []
  return (zone.a ?? []).map((each) =>
    recordOf(name, type, Buffer.from(each.split('.').map(Number))),
  )
}

function respondTo(query: Buffer, end: number, rcode: number, records: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(HEADER)
  query.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180 | rcode, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records.length, 6)
  return Buffer.concat([head, query.subarray(HEADER, end), ...records])
}

/** Starts it on a free port of loopback. */
export async function startNameServer(t: Pick<TestContext, 'after'>): Promise<NameServer> {
  const zones = new Map<string, Zone>()
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    asked.push(`${TYPES[type] ?? type} ${name}`)
    const { fails } = zones.get(name) ?? {}
    if (fails === 'silent') return
    const records = recordsOf(zones, name, type)
    const rcode = fails === undefined ? (records === undefined ? NXDOMAIN : 0) : RCODES[fails]
    const shown = fails === undefined ? (records ?? []) : []
    socket.send(respondTo(query, end, rcode, shown), from.port, from.address)
  })
  socket.unref()
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  defer(t, () => socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, zones, asked }
}
