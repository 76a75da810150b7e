/** The workspaces that ask for their MQTT sessions to be stored. */
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { findWorkspacesToStore } from './store.ts'

export interface StoredWorkspacesParts {
  db: Db
  feed: Pick<ChangeFeed, 'on' | 'onGap'>
  warn: (message: string, error: unknown) => void
}

export class StoredWorkspaces {
  readonly #parts: StoredWorkspacesParts
  #ids: ReadonlySet<string> = new Set()
  #reads = 0

  constructor(parts: StoredWorkspacesParts) {
    this.#parts = parts
    parts.feed.on('workspace', () => this.#readAgain())
    parts.feed.onGap(() => this.#readAgain())
  }

  /** @param id `ws_…` */
  has(id: string): boolean {
    return this.#ids.has(id)
  }

  async read(): Promise<void> {
    this.#reads += 1
    const read = this.#reads
    const rows = await findWorkspacesToStore.rows(this.#parts.db)
    // A later read may have ended before this one, and has the newer result.
    if (read === this.#reads) this.#ids = new Set(rows.map(({ id }) => formatId('ws', id)))
  }

  /** If it fails, the previous result applies until the next change or gap of the feed. */
  #readAgain(): void {
    this.read().catch((error: unknown) =>
      this.#parts.warn('which workspaces store MQTT sessions could not be read', error),
    )
  }
}
