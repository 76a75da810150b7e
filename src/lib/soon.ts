/**
 * A value that is there at once or comes later. What is decided from memory needs no promise: on a
 * path that is taken thousands of times a second, waiting for promises costs more than deciding.
 */
export type Soon<T> = T | Promise<T>

/** Goes on with a value, at once if it is there. */
export const afterwards = <From, To>(
  value: Soon<From>,
  next: (value: From) => Soon<To>,
): Soon<To> => (value instanceof Promise ? value.then(next) : next(value))
