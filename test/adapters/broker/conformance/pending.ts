/** Names of tests that the broker does not pass yet; the table of statements marks them. */
export const PENDING: ReadonlySet<string> = new Set<string>([])
