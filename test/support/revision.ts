/** The revision that an `ETag` begins with; undefined where there is none. */
export const revisionOf = ({ etag }: Readonly<Record<string, string>>): number | undefined => {
  const found = /^"(\d+)-[\w-]{16}(?:-(?:br|gzip))?"$/.exec(etag ?? '')?.[1]
  return found === undefined ? undefined : Number(found)
}
