/** Where the page of connections shows who was refused: behind the `#` of its address. */
export const REFUSALS = 'refusals'
