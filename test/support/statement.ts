/** A named statement without generated types: for seeds, and tests of the database layer. */
import type { Statement } from '../../src/platform/database/query.ts'

export const statement = (name: string, text: string): Statement => ({ name, text })
