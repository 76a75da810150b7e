/** E-mail addresses in a text that was typed or pasted. */

export interface Address {
  text: string
  isValid: boolean
}

/** A text that is surely no address; the service checks more. */
const isAddress = (text: string): boolean =>
  text.length <= 254 && /^[!-~]+$/.test(text) && /^[^@]+@[^@.]+(?:\.[^@.]+)+$/.test(text)

/** `Ada <ada@example.com>` is one address; without brackets, spaces separate too. */
const addressesOf = (part: string): string[] => {
  const inBrackets = /<([^<>]*)>/.exec(part)?.[1]
  return inBrackets === undefined ? part.split(/\s+/) : [inBrackets.trim()]
}

/** Each address once, separated by commas, semicolons, spaces or lines. */
export function readAddresses(text: string): Address[] {
  const found = new Map<string, Address>()
  for (const each of text.split(/[,;\n]/).flatMap((part) => addressesOf(part.trim()))) {
    const key = each.toLowerCase()
    if (each !== '' && !found.has(key)) found.set(key, { text: each, isValid: isAddress(each) })
  }
  return [...found.values()]
}
