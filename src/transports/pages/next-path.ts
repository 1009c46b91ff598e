// A space, a control character or a backslash: browsers drop some of these and read others as a slash.
// oxlint-disable-next-line no-control-regex
const ODD = /[\u0000-\u0020\u007f-\u009f\\]/;
const LONGEST = 8_000;

/**
 * A path of this server that a page may send the browser on to, or the other one for everything that might lead elsewhere.
 * @param wanted somebody else's words
 */
export function safePath(wanted: string | null | undefined, otherwise: string): string {
  if (!wanted || wanted.length > LONGEST || !isOurPath(wanted)) return otherwise;
  const base = "http://this.invalid";
  if (!URL.canParse(wanted, base)) return otherwise;
  // As browsers read it: `/x/..//elsewhere` begins with two slashes then.
  const { origin, pathname, search } = new URL(wanted, base);
  return origin === base && isOurPath(pathname) && isOurPath(decoded(pathname)) ? pathname + search : otherwise;
}

function isOurPath(path: string): boolean {
  return path.startsWith("/") && !path.startsWith("//") && !ODD.test(path);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}
