/**
 * Values that are either available now or promised. Decisions from memory avoid promises: on a path
 * taken thousands of times a second, awaiting costs more than deciding.
 */
export type Soon<T> = T | Promise<T>

/** Continues with a value, synchronously if it is available. */
export const afterwards = <From, To>(
  value: Soon<From>,
  next: (value: From) => Soon<To>,
): Soon<To> => (value instanceof Promise ? value.then(next) : next(value))
