import { html } from "hono/html";
import type { FinishedSignIn } from "../../../core/index.js";

/** Redirects a browser that returns from a provider, or tells it that the sign-in is complete. */
export async function showFinishedSignIn({
  provider,
  redirectUrl,
  problem,
  pickUrl,
}: FinishedSignIn): Promise<Response> {
  const next = pickUrl ?? redirectUrl;
  if (next !== null) {
    const target = new URL(next);
    if (problem !== null) target.searchParams.set("error", problem);
    return new Response(null, { status: 302, headers: { location: target.href } });
  }
  const text = problem ?? `${provider} is connected, and its documents are being imported. You can close this window.`;
  const page = await html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <link rel="icon" href="data:," />
      <title>Recollect</title>
      <p>${text}</p>
    </html>`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; img-src data:; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  };
  return new Response(String(page), { status: problem === null ? 200 : 400, headers });
}
