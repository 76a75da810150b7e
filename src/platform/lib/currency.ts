/**
 * Currencies (ISO 4217): codes, minor units and display. Amounts are integers in minor units
 * everywhere; nothing here is a float.
 */

const CODES = `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP
BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS
GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD
KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO
NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS
SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST
XAF XCD XCG XOF XPF YER ZAR ZMW ZWG`

const known: ReadonlySet<string> = new Set(CODES.split(/\s+/))

/** Currencies whose minor unit is not a hundredth. */
const exponents: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'
      .split(' ')
      .map((code) => [code, 0]),
  ),
  ...Object.fromEntries('BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3])),
}

export const isCurrency = (code: string): boolean => known.has(code)

/** Decimal digits of the minor unit: 2 for EUR, 0 for JPY, 3 for KWD. */
export const currencyExponent = (code: string): number => exponents[code] ?? 2

/** Formats an amount in minor units: `EUR 1,234.50`, `JPY -12`. */
export function formatMoney(minorUnits: number, currency: string): string {
  const exponent = currencyExponent(currency)
  const digits = String(Math.abs(minorUnits)).padStart(exponent + 1, '0')
  const whole = digits.slice(0, digits.length - exponent).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  const rest = exponent === 0 ? '' : `.${digits.slice(-exponent)}`
  return `${currency} ${minorUnits < 0 ? '-' : ''}${whole}${rest}`
}

/**
 * Parses an amount such as `12.50` to minor units.
 * @returns undefined if it is not an amount of this currency, or not exact as a JSON number
 */
export function parseMoney(text: string, currency: string): number | undefined {
  const exponent = currencyExponent(currency)
  const [, whole = '', , rest = ''] = /^(\d{1,15})(\.(\d{1,4}))?$/.exec(text) ?? []
  if (whole === '' || rest.length > exponent) return undefined
  const units = Number(`${whole}${rest.padEnd(exponent, '0')}`)
  return Number.isSafeInteger(units) ? units : undefined
}

/**
 * `numerator / denominator` rounded to the nearest integer, halves up; both non-negative.
 * @throws RangeError if the result is not exact as a JSON number
 */
export function divideHalfUp(numerator: bigint, denominator: bigint): number {
  const result = Number((2n * numerator + denominator) / (2n * denominator))
  if (!Number.isSafeInteger(result)) throw new RangeError('an amount is too large')
  return result
}
