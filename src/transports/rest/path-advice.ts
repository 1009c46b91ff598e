/** For each fifth-generation path, by its start after the namespace, the equivalent in the third and fourth. */
const OF_NAMESPACE: readonly (readonly [start: RegExp, use: string])[] = [
  [/^document\/batch/, "POST /v3/documents/batch"],
  [/^document\/file/, "POST /v3/documents/file"],
  [/^document\/[^/]/, "/v3/documents/{id}"],
  [/^document\/?$/, "POST /v3/documents, or DELETE /v3/documents/bulk"],
  [/^search/, "POST /v4/search"],
  [/^profile\/buckets/, "PATCH /v3/container-tags/{containerTag}"],
  [/^profile/, "POST /v4/profile"],
  [/^memories\/semantic/, "POST /v4/memories/forget-matching"],
  [/^memories/, "DELETE /v4/memories, or POST /v4/memories/list"],
  [/^list\/memories/, "POST /v4/memories/list"],
  [/^list\/documents/, "POST /v3/documents/list"],
  [/^list\/chunks/, "GET /v3/documents/{id}/chunks"],
  [/^connectors/, "POST /v3/connections/list"],
  [/^$/, "/v3/container-tags/{containerTag}"],
];
const OF_SERVICE: readonly (readonly [start: RegExp, use: string])[] = [
  [/^\/(?:ns|namespaces)\/?$/, "GET /v3/container-tags/list"],
  [/^\/organization\/?$/, "GET /v3/settings"],
  [/^\/connectors(?:\/|$)/, "POST /v3/connections/list"],
];

/**
 * What to do instead of requesting a path that is not served, as a sentence with a leading space; empty where nothing is known.
 */
export function adviceOn(path: string): string {
  // Clients add the version themselves, and leave no trailing slash.
  if (/^\/v\d+\/v\d+(\/|$)/.test(path)) return " Leave the version out of the base URL.";
  if (/^\/upload(\/|$)/.test(path))
    return " This server does not create upload links: use POST /v3/documents/file, with a key.";
  const use = ofFifthGeneration(path);
  if (use !== undefined)
    return ` This server has versions 3 and 4 of the API: use ${use}, where a namespace is a containerTag, and an SDK up to version 4.`;
  return path.length > 1 && path.endsWith("/") ? " Leave out the trailing slash." : "";
}

function ofFifthGeneration(path: string): string | undefined {
  const behind = /^\/ns\/[^/]+(?:\/(.*))?$/s.exec(path);
  const [table, asked] = behind ? [OF_NAMESPACE, behind[1] ?? ""] : [OF_SERVICE, path];
  return table.find(([start]) => start.test(asked))?.[1];
}
