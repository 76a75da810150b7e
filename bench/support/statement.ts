/** A named statement outside the generated types, for seeds. */
import type { Statement } from '../../src/platform/database/query.ts'

export const statement = (name: string, text: string): Statement => ({ name, text })
