/** Makes a value on the first call and returns the same on every later one. Errors of `make` are thrown, and not cached. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
