import type { TokenAnswer } from "./oauth-app.js";

/** What a token can access: the status, and the names of the listed tools. */
export async function useMcp(base: string, token: string): Promise<{ status: number; tools: string[] }> {
  const answer = await fetch(`${base}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  });
  const text = await answer.text();
  return { status: answer.status, tools: [...text.matchAll(/"name":"([\w-]+)"/g)].map(([, name = ""]) => name) };
}

/** Calls the API with a token. */
export async function callRest(
  { base, token }: { readonly base: string; readonly token: string },
  path: string,
  init: RequestInit = {},
): Promise<Pick<TokenAnswer, "status" | "body">> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${base}${path}`, { ...init, headers });
  return { status: answer.status, body: await answer.json() };
}
