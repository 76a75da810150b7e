/** Errors of the operating system, in words for people who have to repair them. */

type Message = (path: string | undefined) => string

const right: Message = (path) => `this user has no permission to ${path ?? 'it'}`

const unvouched: Message = () => 'its certificate is not issued by a trusted authority'

const messages: Readonly<Record<string, Message>> = {
  EACCES: right,
  EPERM: right,
  ENOENT: (path) => (path === undefined ? 'it does not exist' : `there is no ${path}`),
  EEXIST: (path) => `${path ?? 'it'} already exists`,
  EISDIR: (path) => `${path ?? 'it'} is a folder`,
  ENOTDIR: (path) => `a component of ${path ?? 'its path'} is not a folder`,
  ENOSPC: () => 'the disk is full',
  EDQUOT: () => 'the disk quota of this user is used up',
  EROFS: (path) => `${path ?? 'it'} is on a read-only file system`,
  ELOOP: (path) => `the links of ${path ?? 'its path'} form a loop`,
  ENAMETOOLONG: () => 'its name is too long',
  EMFILE: () => 'this process has too many files open; raise its limit (ulimit -n)',
  ECONNREFUSED: () => 'nothing listens there',
  ECONNRESET: () => 'the connection was reset',
  EPIPE: () => 'the connection was reset',
  ETIMEDOUT: () => 'there was no response',
  EHOSTUNREACH: () => 'there is no route to it',
  ENETUNREACH: () => 'there is no route to it',
  ENOTFOUND: () => 'its host name is unknown',
  EAI_AGAIN: () => 'its host name cannot be resolved',
  DEPTH_ZERO_SELF_SIGNED_CERT: unvouched,
  SELF_SIGNED_CERT_IN_CHAIN: unvouched,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unvouched,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unvouched,
}

/** Whether an error says that nobody who is trusted vouches for a certificate. */
export const isUnvouched = ({ code = '' }: { code?: string }): boolean =>
  messages[code] === unvouched

/**
 * A clause without its end. An error without words here keeps its own.
 * @param file what was read: an error names no path if it shows only after the file was opened, as
 *   that it is a folder
 */
export function describeSystemError(error: unknown, file?: string): string {
  if (!(error instanceof Error)) return String(error)
  const { code = '', path = file, message } = error as NodeJS.ErrnoException
  return messages[code]?.(path) ?? message
}

/** The `code` of an error of Node, of Postgres or of a library; empty without one. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** The words of anything thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
