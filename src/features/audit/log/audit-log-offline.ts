/** Verifies an exported audit log offline, from its lines alone. */
import { createHash } from 'node:crypto'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'

/** The parts of an anchor that verification needs. */
export interface KnownAnchor {
  workspace_id: string
  seq: number
  hash: string
}

export interface OfflineVerification {
  workspaceId: string
  from: number
  to: number
  headHash: string
  /**
   * Whether the hash before the first line had to be trusted, because earlier entries are unknown.
   */
  beginsOnTrust: boolean
  /** Anchors that matched an entry of the export. */
  anchors: number
}

interface Line {
  workspace_id: string
  seq: number
  hash: string
}

const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

function readLine(text: string, number: number): Line {
  try {
    const value = JSON.parse(text) as Partial<Line> | null
    const isLine =
      typeof value?.workspace_id === 'string' &&
      Number.isSafeInteger(value.seq) &&
      /^[0-9a-f]{64}$/.test(value.hash ?? '')
    if (isLine) return value as Line
  } catch {
    // Treated like a line of something else.
  }
  throw new Error(`line ${number} is not one of an audit log`)
}

/** @throws Error naming the line that is not an anchor */
export const readAnchors = (texts: readonly string[]): KnownAnchor[] =>
  texts.map((text, index) => readLine(text, index + 1))

/**
 * Recomputes the chain.
 * @param lines of one export, without line ends
 * @throws Error explaining the first line that does not match
 */
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  known: readonly KnownAnchor[] = [],
): Promise<OfflineVerification> {
  let before: Buffer | undefined
  let last: Line | undefined
  let result: OfflineVerification | undefined
  let anchors = new Map<number, string>()
  let number = 0
  for await (const text of lines) {
    number += 1
    const { hash, ...entry } = readLine(text, number)
    const { workspace_id, seq } = entry
    if (last === undefined || result === undefined) {
      const own = known.filter((anchor) => anchor.workspace_id === workspace_id)
      anchors = new Map(own.map((anchor) => [anchor.seq, anchor.hash]))
      const anchored = anchors.get(seq - 1)
      before = anchored === undefined ? undefined : Buffer.from(anchored, 'hex')
      if (seq === 1) before = sha256(workspace_id)
      const beginsOnTrust = before === undefined
      result = {
        workspaceId: workspace_id,
        from: seq,
        to: 0,
        headHash: '',
        beginsOnTrust,
        anchors: 0,
      }
    } else if (seq !== last.seq + 1 || workspace_id !== last.workspace_id) {
      throw new Error(`after entry ${last.seq} comes line ${number}, which is entry ${seq}`)
    }
    const computed = before && sha256(before, canonicalJson(entry)).toString('hex')
    if (computed !== undefined && computed !== hash) throw new Error(`entry ${seq} was altered`)
    const anchor = anchors.get(seq)
    if (anchor !== undefined && anchor !== hash) {
      throw new Error(`entry ${seq} is not the one that was anchored`)
    }
    if (anchor !== undefined) result.anchors += 1
    before = Buffer.from(hash, 'hex')
    last = { workspace_id, seq, hash }
  }
  if (last === undefined || result === undefined) throw new Error('it contains no entry')
  return { ...result, to: last.seq, headHash: last.hash }
}
