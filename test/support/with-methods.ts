/** A repository with some methods of its own: a copy would have no others, because they are its prototype's. */
export function withMethods<T extends object>(repository: T, methods: Partial<T>): T {
  return Object.assign(Object.create(repository) as T, methods);
}
