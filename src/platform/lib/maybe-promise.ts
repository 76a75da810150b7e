/**
 * Values that are either available now or promised. Decisions from memory avoid promises: on a path
 * taken thousands of times a second, awaiting costs more than deciding.
 */
export type MaybePromise<T> = T | Promise<T>

/** Continues with a value, synchronously if it is available. */
export const andThen = <From, To>(
  value: MaybePromise<From>,
  next: (value: From) => MaybePromise<To>,
): MaybePromise<To> => (value instanceof Promise ? value.then(next) : next(value))
