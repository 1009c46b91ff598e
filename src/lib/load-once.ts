/**
 * Loads something with the first call and gives the same to every later one. A failure is not kept: the next call tries
 * again. What is given to calls that find it loaded is not looked at.
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
