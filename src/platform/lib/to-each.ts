/**
 * Passes an event to each of a list, in order. One that throws does not keep the event from those
 * after it.
 */
export function toEach<Subscriber>(
  subscribers: readonly Subscriber[],
  pass: (subscriber: Subscriber) => void,
  failed: (error: unknown) => void,
): void {
  for (const each of subscribers) {
    try {
      pass(each)
    } catch (error) {
      failed(error)
    }
  }
}
