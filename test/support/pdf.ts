/** Extracts the text in standard fonts from a PDF. */
import { inflateSync } from 'node:zlib'

/** The texts of a PDF in the order in which they were written. */
export function textOf(pdf: Uint8Array): string {
  const whole = Buffer.from(pdf).toString('latin1')
  const pieces: string[] = []
  for (const [, stream = ''] of whole.matchAll(/stream\n(.*?)\nendstream/gs)) {
    let content: string
    try {
      content = inflateSync(Buffer.from(stream, 'latin1')).toString('latin1')
    } catch {
      continue
    }
    for (const [, line = ''] of content.matchAll(/\[(.*?)\] TJ/g)) {
      const hex = [...line.matchAll(/<([0-9a-f]*)>/g)].map(([, digits]) => digits).join('')
      pieces.push(Buffer.from(hex, 'hex').toString('latin1'))
    }
  }
  return pieces.join('\n')
}

export const pagesOf = (pdf: Uint8Array): number =>
  [
    ...Buffer.from(pdf)
      .toString('latin1')
      .matchAll(/\/Type \/Page\n/g),
  ].length
