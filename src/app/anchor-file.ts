/** Appends audit anchors to a file, on a disk that the operator chooses. */
import { open } from 'node:fs/promises'
import type { AnchorSink } from '../features/audit/log/audit-anchor.ts'

/**
 * Opened for each write, so that the file can be moved at any time; synced before anchors count as
 * published.
 * @param path undefined: nothing is written
 */
export const anchorFile = (path: string | undefined): AnchorSink => ({
  async append(lines) {
    if (path === undefined || lines.length === 0) return
    const file = await open(path, 'a', 0o640)
    try {
      await file.appendFile(lines.map((line) => `${line}\n`).join(''))
      await file.datasync()
    } finally {
      await file.close()
    }
  },
})
