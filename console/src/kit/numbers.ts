/** Numbers as people read them. */
const format = new Intl.NumberFormat()

/** `1,204` */
export const numberText = (value: number): string => format.format(value)
