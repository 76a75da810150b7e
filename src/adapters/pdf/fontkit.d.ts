/** The part of fontkit that is used here; the package has no types. */
declare module 'fontkit' {
  export interface Font {
    hasGlyphForCodePoint(codePoint: number): boolean
  }

  /** @throws Error if it is no font */
  export function create(font: Uint8Array): Font
}
