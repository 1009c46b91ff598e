/** Makes a value with the first call and gives the same to every later one. What `make` throws is thrown, and not kept. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
