/** Verifies an exported audit log from its lines alone, without the service and its keys. */
import { createHash } from 'node:crypto'
import { canonicalJson } from '../../lib/canonical-json.ts'

/** What is needed of an anchor. */
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
  /** Whether the first line's hash had to be taken for granted: what came before is not known. */
  beginsOnTrust: boolean
  /** Anchors of this part that were found in it. */
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
    // The same as a line of something else.
  }
  throw new Error(`line ${number} is not one of an audit log`)
}

/** @throws Error that names the line which is not an anchor. */
export const readAnchors = (texts: readonly string[]): KnownAnchor[] =>
  texts.map((text, index) => readLine(text, index + 1))

/**
 * Computes the chain anew.
 * @param lines of one export, without line ends.
 * @throws Error in people's words, at the first line that is not what was sealed.
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
  if (last === undefined || result === undefined) throw new Error('there is no entry in it')
  return { ...result, to: last.seq, headHash: last.hash }
}
