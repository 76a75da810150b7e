/** What the operating system refuses, in words for people who have to mend it. */

type Words = (path: string | undefined) => string

const right: Words = (path) => `this user has no right to ${path ?? 'it'}`

const unvouched: Words = () => 'nobody that is trusted here vouches for its certificate'

const words: Readonly<Record<string, Words>> = {
  EACCES: right,
  EPERM: right,
  ENOENT: (path) => (path === undefined ? 'it is not there' : `there is no ${path}`),
  EEXIST: (path) => `${path ?? 'it'} is there already`,
  EISDIR: (path) => `${path ?? 'it'} is a folder`,
  ENOTDIR: (path) => `a part of ${path ?? 'its path'} is no folder`,
  ENOSPC: () => 'the disk is full',
  EDQUOT: () => 'the share of the disk that this user has is full',
  EROFS: (path) => `${path ?? 'it'} is on a file system that can only be read`,
  ELOOP: (path) => `the links of ${path ?? 'its path'} lead round in a circle`,
  ENAMETOOLONG: () => 'its name is too long',
  EMFILE: () => 'this process has too many files open; raise its limit (ulimit -n)',
  ECONNREFUSED: () => 'nothing listens there',
  ECONNRESET: () => 'the connection was cut',
  EPIPE: () => 'the connection was cut',
  ETIMEDOUT: () => 'there was no answer',
  EHOSTUNREACH: () => 'no way leads there',
  ENETUNREACH: () => 'no way leads there',
  ENOTFOUND: () => 'its host name is unknown',
  EAI_AGAIN: () => 'its host name can not be resolved now',
  DEPTH_ZERO_SELF_SIGNED_CERT: unvouched,
  SELF_SIGNED_CERT_IN_CHAIN: unvouched,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unvouched,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unvouched,
}

/**
 * A clause without its end. What has no words here keeps its own.
 * @param file what was read: an error names no path if it shows only after the file was opened, as
 *   that it is a folder
 */
export function systemWords(error: unknown, file?: string): string {
  if (!(error instanceof Error)) return String(error)
  const { code = '', path = file, message } = error as NodeJS.ErrnoException
  return words[code]?.(path) ?? message
}
