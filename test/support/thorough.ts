/**
 * How much is tried by tests that could try very many cases: in each run a part, of every sort;
 * with MOORING_TEST_THOROUGH, as `.ci/run` has it, all of them.
 */
export const isThorough = process.env.MOORING_TEST_THOROUGH !== undefined

/** How often, or with how many. */
export const howMany = (usual: number, thorough: number): number => (isThorough ? thorough : usual)
