/** Texts come from devices and phones: control characters must not reach the terminal. */
export const printable = (text: string): string =>
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd')
