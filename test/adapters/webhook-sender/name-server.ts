/** A DNS server on loopback (RFC 1035) that responds as a test says, a question at a time. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

const HEADER = 12

/** The name in a question, and where it ends. */
function readName(message: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = HEADER
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

function respondTo(query: Buffer, end: number, addresses: readonly string[]): Buffer {
  const head = Buffer.alloc(HEADER)
  query.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(addresses.length, 6)
  const records = addresses.map((address) => {
    const data = Buffer.from(address.split('.').map(Number))
    const record = Buffer.from('c00c00010001000000000004', 'hex')
    return Buffer.concat([record, data])
  })
  return Buffer.concat([head, query.subarray(HEADER, end + 4), ...records])
}

/**
 * @param resolve IPv4 addresses of a name; it may answer each question differently.
 * @returns its address, and the names that were asked for.
 */
export async function startNameServer(
  t: Pick<TestContext, 'after'>,
  resolve: (name: string) => readonly string[],
): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, end } = readName(query)
    const isIpv4 = query.readUInt16BE(end) === 1
    if (isIpv4) asked.push(name)
    socket.send(respondTo(query, end, isIpv4 ? resolve(name) : []), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, asked }
}
