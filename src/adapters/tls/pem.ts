/** Parses PEM (RFC 7468): labelled blocks with any text between them, as tools write it. */

export interface PemBlock {
  /** Such as `CERTIFICATE`. */
  label: string
  /** The lines between the delimiters. */
  lines: string[]
}

const MARK = /^-----(BEGIN|END) ([A-Z0-9][A-Z0-9 ]{0,40})-----$/

/** The blocks of a text, in order; undefined if a delimiter is unmatched. */
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

/** The decoded bytes; undefined if they are not base64. */
export function bytesOf({ lines }: PemBlock): Buffer | undefined {
  const text = lines.join('')
  return BASE64.test(text) ? Buffer.from(text, 'base64') : undefined
}

/** Formats a block with lines of 64 characters. */
export const writePem = ({ label, lines }: PemBlock): string =>
  `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
