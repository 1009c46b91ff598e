// A space, a control character or a backslash: browsers drop some of these and read others as a slash.
// oxlint-disable-next-line no-control-regex
const ODD = /[\u0000-\u0020\u007f-\u009f\\]/;
const LONGEST = 8_000;

/**
 * A path of this server to redirect the browser to; the fallback for anything that might lead elsewhere.
 * @param wanted untrusted text
 */
export function safePath(wanted: string | null | undefined, otherwise: string): string {
  if (!wanted || wanted.length > LONGEST || !isOurPath(wanted)) return otherwise;
  const base = "http://this.invalid";
  if (!URL.canParse(wanted, base)) return otherwise;
  // As browsers read it: `/x/..//elsewhere` then begins with two slashes.
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
