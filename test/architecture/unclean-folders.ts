/**
 * Banned words that are left in comments and names of tests, by folder. A folder that is not listed
 * has none. Figures only go down; `words.test.ts` compares them.
 */
export const uncleanFolders: Readonly<Record<string, number>> = {}
