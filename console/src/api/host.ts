/** Receivers by name. */

/** A URL as lists name it: by its host. Other text, such as a description, stays. */
export const byHost = (name: string): string =>
  /^https?:\/\//.test(name) && URL.canParse(name) ? new URL(name).host : name
