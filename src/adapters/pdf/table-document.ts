/**
 * A PDF with a heading, blocks of text and a table: long texts wrap, the table header repeats on
 * every page, pages are numbered. Independent of what the words mean. The table of pdfkit itself
 * does not repeat its header, has one style for a cell, and truncates a row higher than a page.
 */
import type { Font } from 'fontkit'

export interface Column {
  head: string
  /** In points; a page has 495. */
  width: number
  isNumber: boolean
}

export interface TableDocument {
  title: string
  /** Shown in the upper left corner. */
  sender: readonly string[]
  receiver: readonly string[]
  /** Names and values. */
  facts: readonly (readonly [string, string])[]
  columns: readonly Column[]
  /** A cell may have several lines; lines after the first are smaller. */
  rows: readonly (readonly (readonly string[])[])[]
  /** Totals below the table; the last is the most prominent. */
  sums: readonly (readonly [string, string])[]
  notes: readonly string[]
  footer: string
  /** Milliseconds since the epoch; makes the output reproducible byte for byte. */
  madeAt: number
}

const PAGE = { left: 50, top: 50, right: 545, bottom: 770 }
const GREY = '#666666'
const BLACK = '#000000'
const TEXT = 9
const SMALL = 7.5
const GAP = 5
/** Characters of Windows-1252 beyond Latin-1, which the standard PDF fonts have. */
const MORE_OF_WINDOWS = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ')

/** A font, and its glyphs, which pdfkit does not expose. */
interface OwnFont {
  bytes: Buffer
  glyphs: Font
}

const isLatin = (character: string): boolean =>
  /[\u0020-\u007e\u00a0-\u00ff]/.test(character) || MORE_OF_WINDOWS.has(character)

class Page {
  readonly #pdf: PDFKit.PDFDocument
  readonly #chunks: Buffer[] = []
  readonly #document: TableDocument
  readonly #fonts: { plain: string; bold: string }
  readonly #hasGlyph: (character: string) => boolean
  #y = PAGE.top
  /** Whether a character had to be omitted. */
  #isIncomplete = false

  constructor(pdf: PDFKit.PDFDocument, document: TableDocument, font: OwnFont | undefined) {
    this.#document = document
    this.#pdf = pdf
    this.#pdf.on('data', (chunk: Buffer) => void this.#chunks.push(chunk))
    this.#fonts = { plain: 'Helvetica', bold: 'Helvetica-Bold' }
    this.#hasGlyph = isLatin
    if (font === undefined) return
    this.#pdf.registerFont('own', font.bytes).font('own')
    this.#fonts = { plain: 'own', bold: 'own' }
    this.#hasGlyph = (character) => font.glyphs.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)
  }

  #printable(text: string): string {
    return text.normalize('NFC').replaceAll(/[^\n]/gu, (character) => {
      if (this.#hasGlyph(character)) return character
      this.#isIncomplete = true
      return '?'
    })
  }

  #style(size: number, color = BLACK, weight: 'plain' | 'bold' = 'plain'): void {
    this.#pdf.font(this.#fonts[weight]).fontSize(size).fillColor(color)
  }

  /** Writes text into a box. @returns the y position where it ends */
  #write(text: string, x: number, y: number, width: number, align: 'left' | 'right'): number {
    const printable = this.#printable(text)
    const height = this.#pdf.heightOfString(printable, { width, align })
    this.#pdf.text(printable, x, y, { width, align })
    return y + height
  }

  #heightOf(cell: readonly string[], width: number): number {
    return cell.reduce((height, text, index) => {
      this.#pdf.font(this.#fonts.plain).fontSize(index === 0 ? TEXT : SMALL)
      return height + this.#pdf.heightOfString(this.#printable(text), { width })
    }, 0)
  }

  #nextPage(): void {
    this.#pdf.addPage()
    this.#y = PAGE.top
  }

  #rule(color: string): void {
    this.#pdf.moveTo(PAGE.left, this.#y).lineTo(PAGE.right, this.#y).lineWidth(0.5).stroke(color)
  }

  /** The part above the table. */
  head(): void {
    const { title, sender, receiver, facts } = this.#document
    this.#style(TEXT, GREY)
    let y = this.#write(sender.join('\n'), PAGE.left, PAGE.top, 240, 'left')
    this.#style(TEXT)
    y = this.#write(receiver.join('\n'), PAGE.left, y + 24, 240, 'left')
    let factY = PAGE.top
    for (const [name, value] of facts) {
      this.#style(TEXT, GREY)
      this.#write(name, 330, factY, 80, 'left')
      this.#style(TEXT)
      factY = this.#write(value, 410, factY, PAGE.right - 410, 'right') + 2
    }
    this.#style(16, BLACK, 'bold')
    this.#y = this.#write(title, PAGE.left, Math.max(y, factY) + 28, 495, 'left') + 14
  }

  #tableHead(): void {
    let x = PAGE.left
    let lowest = this.#y
    this.#style(SMALL, GREY, 'bold')
    for (const { head, width, isNumber } of this.#document.columns) {
      const end = this.#write(head, x, this.#y, width - GAP, isNumber ? 'right' : 'left')
      lowest = Math.max(lowest, end)
      x += width
    }
    this.#y = lowest + 3
    this.#rule(BLACK)
    this.#y += GAP
  }

  #row(cells: readonly (readonly string[])[]): void {
    const { columns } = this.#document
    let x = PAGE.left
    for (const [index, { width, isNumber }] of columns.entries()) {
      let y = this.#y
      for (const [line, text] of (cells[index] ?? []).entries()) {
        this.#style(line === 0 ? TEXT : SMALL, line === 0 ? BLACK : GREY)
        y = this.#write(text, x, y, width - GAP, isNumber ? 'right' : 'left')
      }
      x += width
    }
  }

  table(): void {
    const { columns, rows } = this.#document
    this.#tableHead()
    for (const cells of rows) {
      const heights = columns.map(({ width }, index) =>
        this.#heightOf(cells[index] ?? [], width - GAP),
      )
      const height = Math.max(...heights)
      if (this.#y + height > PAGE.bottom) {
        this.#nextPage()
        this.#tableHead()
      }
      this.#row(cells)
      this.#y += height + 3
      this.#rule('#dddddd')
      this.#y += GAP
    }
  }

  /** Keeps the totals on one page. */
  sums(): void {
    const { sums } = this.#document
    if (this.#y + sums.length * 16 > PAGE.bottom) this.#nextPage()
    this.#y += GAP
    for (const [index, [name, value]] of sums.entries()) {
      const isLast = index === sums.length - 1
      this.#style(isLast ? TEXT + 2 : TEXT, BLACK, isLast ? 'bold' : 'plain')
      this.#write(name, 290, this.#y, 135, 'right')
      this.#y = this.#write(value, 425, this.#y, 120 - GAP, 'right') + 4
    }
  }

  notes(): void {
    const { notes } = this.#document
    const printable = this.#isIncomplete
      ? [
          ...notes,
          'Characters missing in this font are printed as "?"; the JSON form contains them.',
        ]
      : notes
    for (const note of printable) {
      this.#style(TEXT)
      const height = this.#pdf.heightOfString(this.#printable(note), { width: 495 })
      if (this.#y + height + 10 > PAGE.bottom) this.#nextPage()
      this.#y = this.#write(note, PAGE.left, this.#y + 10, 495, 'left')
    }
  }

  #footers(): void {
    const { start, count } = this.#pdf.bufferedPageRange()
    for (let index = 0; index < count; index += 1) {
      this.#pdf.switchToPage(start + index)
      this.#style(SMALL, GREY)
      const text = `${this.#document.footer}  ·  page ${index + 1} of ${count}`
      this.#write(text, PAGE.left, 800, 495, 'left')
    }
  }

  async bytes(): Promise<Buffer> {
    this.#footers()
    const ended = new Promise<void>((resolve) => void this.#pdf.once('end', resolve))
    this.#pdf.end()
    await ended
    return Buffer.concat(this.#chunks)
  }
}

async function openFont(font: Uint8Array): Promise<OwnFont> {
  const { create } = await import('fontkit')
  const bytes = Buffer.from(font)
  return { bytes, glyphs: create(bytes) }
}

/** @param font TrueType or OpenType; without one, only Latin letters can be shown */
export async function makeTableDocument(
  document: TableDocument,
  font: Uint8Array | undefined,
): Promise<Buffer> {
  // Loaded on first use, to keep startup fast.
  const { default: PDFDocument } = await import('pdfkit')
  const pdf = new PDFDocument({
    size: 'A4',
    margin: 0,
    bufferPages: true,
    info: { Title: document.title, CreationDate: new Date(document.madeAt) },
  })
  const page = new Page(pdf, document, font && (await openFont(font)))
  page.head()
  page.table()
  page.sums()
  page.notes()
  return page.bytes()
}
