/**
 * Loads something on the first call and returns the same on every later one. A failure is not cached: the next call
 * tries again. Arguments of calls after the load are ignored.
 */
export function loadOnce<T, Given extends readonly unknown[]>(
  load: (...given: Given) => Promise<T>,
): (...given: Given) => Promise<T> {
  let loading: Promise<T> | undefined;
  return (...given) => {
    if (loading) return loading;
    const begun = load(...given);
    loading = begun;
    begun.catch(() => {
      if (loading === begun) loading = undefined;
    });
    return begun;
  };
}
