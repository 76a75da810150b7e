/** Where the counts of the overview lead: the search of a list's address. */
export const filterOf = (filter: string) => ({ filter }) as never
