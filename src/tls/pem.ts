/**
 * Reads PEM (RFC 7468): blocks with a label, and any text between them, as tools like to write it.
 */

export interface PemBlock {
  /** As `CERTIFICATE`. */
  label: string
  /** The lines between the marks. */
  lines: string[]
}

const MARK = /^-----(BEGIN|END) ([A-Z0-9][A-Z0-9 ]{0,40})-----$/

/** The blocks of a text, in order; undefined when a mark has no counterpart. */
export function readPemBlocks(text: string): PemBlock[] | undefined {
  const blocks: PemBlock[] = []
  let open: PemBlock | undefined
  for (const line of text.split('\n')) {
    const trimmed = line.trim()
    const [, mark, label = ''] = MARK.exec(trimmed) ?? []
    if (mark === 'BEGIN') {
      if (open !== undefined) return undefined
      open = { label, lines: [] }
    } else if (mark === 'END') {
      if (open?.label !== label) return undefined
      blocks.push(open)
      open = undefined
    } else {
      open?.lines.push(trimmed)
    }
  }
  return open === undefined ? blocks : undefined
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** The bytes of a block; undefined when they are not base64. */
export function bytesOf({ lines }: PemBlock): Buffer | undefined {
  const text = lines.join('')
  return BASE64.test(text) ? Buffer.from(text, 'base64') : undefined
}

/** One block as text again, with lines of 64 characters. */
export function writePem({ label, lines }: PemBlock): string {
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
