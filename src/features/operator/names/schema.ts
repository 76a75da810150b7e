/** Schemas of the names that operators read in place of ids. */
import Type, { type Static } from 'typebox'

export const MAX_NAMES = 50

export const ListNames = Type.Object({
  ids: Type.String({
    default: '',
    maxLength: 2_048,
    description: `Ids of accounts and workspaces, separated by commas; at most ${MAX_NAMES}.`,
  }),
})

const Named = Type.Object({
  id: Type.String({ description: 'The id as given: `usr_…` or `ws_…`.' }),
  label: Type.String({ description: 'The address of an account, the name of a workspace.' }),
})

export const NameList = Type.Object(
  { items: Type.Array(Named, { description: 'Without what has been erased.' }) },
  { title: 'InstallationNames' },
)
export type NameList = Static<typeof NameList>
