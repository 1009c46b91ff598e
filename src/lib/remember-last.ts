/**
 * The same function, caching its results for the most recent texts. For results that depend on the text alone.
 * @param most at least this many results are cached, and at most twice as many
 */
export function rememberLast<T extends object | boolean>(find: (text: string) => T, most: number): (text: string) => T {
  let newer = new Map<string, T>();
  let older = newer;
  return (text) => {
    const known = newer.get(text);
    if (known !== undefined) return known;
    const found = older.get(text) ?? find(text);
    if (newer.size >= most) {
      older = newer;
      newer = new Map();
    }
    newer.set(text, found);
    return found;
  };
}
