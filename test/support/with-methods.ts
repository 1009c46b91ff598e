/** A repository with some methods replaced: a copy would lose the others, which are its prototype's. */
export function withMethods<T extends object>(repository: T, methods: Partial<T>): T {
  return Object.assign(Object.create(repository) as T, methods);
}
