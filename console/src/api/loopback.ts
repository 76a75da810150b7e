/** Addresses that only the same machine can reach. */

/** @param host as in an URL, or without the brackets of an IPv6 address */
export const isLoopback = (host: string): boolean => /^(localhost|127\..*|\[::1\]|::1)$/.test(host)
