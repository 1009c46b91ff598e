/** A site whose pages show what lies at another address as it is. */
interface KnownPlace {
  readonly host: RegExp;
  readonly path: RegExp;
  /** @param parts what the groups of `path` matched */
  readonly addressOf: (parts: readonly string[]) => string;
}

const GITHUB = /^(?:www\.)?github\.com$/;
const RAW = "https://raw.githubusercontent.com";

/** Site by site. What is not here, or is no longer so, is read as the page that it is. */
const KNOWN_PLACES: readonly KnownPlace[] = [
  {
    host: GITHUB,
    path: /^\/([\w.-]+)\/([\w.-]+)\/(?:blob|raw)\/(.+)$/,
    addressOf: ([owner, repository, file]) => `${RAW}/${owner}/${repository}/${file}`,
  },
  {
    host: GITHUB,
    path: /^\/([\w.-]+)\/([\w.-]+)\/?$/,
    addressOf: ([owner, repository]) => `${RAW}/${owner}/${repository}/HEAD/README.md`,
  },
  {
    host: /^gist\.github\.com$/,
    path: /^\/([\w.-]+)\/([0-9a-f]{8,64})\/?$/,
    addressOf: ([owner, gist]) => `https://gist.githubusercontent.com/${owner}/${gist}/raw`,
  },
  {
    host: /^(?:www\.)?arxiv\.org$/,
    path: /^\/abs\/([\w.-]+(?:\/\d+)?(?:v\d+)?)$/,
    addressOf: ([paper]) => `https://arxiv.org/pdf/${paper}`,
  },
];

/** Where the content of a page lies as it is, for sites that are known; null for all others. */
export function knownContentAddress({ hostname, pathname, search }: URL): string | null {
  if (search !== "") return null;
  for (const { host, path, addressOf } of KNOWN_PLACES) {
    const found = host.test(hostname) ? path.exec(pathname) : null;
    if (found) return addressOf(found.slice(1));
  }
  return null;
}
