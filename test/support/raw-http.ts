/** HTTP as raw bytes, for requests that no client would send. */
import { connect } from 'node:net'

export interface RawResponse {
  /** 0 when the connection ended without a response. */
  status: number
  contentType: string | undefined
  requestId: string | undefined
  text: string
}

const pattern = /^HTTP\/1\.1 (\d{3})[^\r]*\r\n([\s\S]*?)\r\n\r\n([\s\S]*)$/

function parse(text: string): RawResponse {
  const [, status = '0', headers = '', body = ''] = pattern.exec(text) ?? []
  const contentType = /^content-type: *([^\r]*)/im.exec(headers)?.[1]
  const requestId = /^x-request-id: *([^\r]*)/im.exec(headers)?.[1]
  return { status: Number(status), contentType, requestId, text: body }
}

/** Whether all that the headers announce has arrived. */
function isWhole(text: string): boolean {
  const [, , headers = '', body = ''] = pattern.exec(text) ?? []
  const length = /^content-length: *(\d+)/im.exec(headers)?.[1]
  return length !== undefined && Buffer.byteLength(body) >= Number(length)
}

/** Writes bytes on a connection of their own, and reads the first response. */
export function sendRaw(port: number, bytes: string | Buffer): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    let text = ''
    const finish = (): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(parse(text))
    }
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no response within 180 s to ${bytes.toString().slice(0, 100)}`))
    }, 180_000)
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (isWhole(text)) finish()
    })
    socket.on('close', finish)
    // A refused request may be reset before all of it was written.
    socket.on('error', () => {})
    socket.write(bytes)
  })
}
