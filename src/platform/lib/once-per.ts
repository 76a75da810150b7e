/**
 * A value derived from an object, made once for as long as the object lives; the object must not
 * change afterwards.
 */
export function oncePer<Key extends object, Value extends object | boolean>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const made = new WeakMap<Key, Value>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}
