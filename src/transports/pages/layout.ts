import { createHash } from "node:crypto";
import { type Html, html, trustedHtml } from "./html.js";
import { STYLE } from "./style.js";

const STYLE_SOURCE = `'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`;

export interface PageParts {
  /** The page's heading and tab title. */
  readonly title: string;
  readonly body: Html;
  /** Default 200. */
  readonly status?: number;
  /** What comes below, such as the sign-out button. */
  readonly footer?: Html | undefined;
  /**
   * Where the answer to a form of this page may redirect besides this server, as sources of a Content-Security-Policy: browsers
   * refuse to follow such a redirect anywhere else.
   */
  readonly formTargets?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Headers of everything that a browser shows or follows: no caching, framing, sniffing or referrers for others. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), publickey-credentials-get=()",
};

/** The response for a page: no scripts, nothing external, no framing. */
export function pageAnswer({ title, body, status = 200, footer, formTargets = [], headers = {} }: PageParts): Response {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        <title>${title} · Recollect</title>
        ${trustedHtml(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main>
          <p class="brand">Recollect</p>
          <h1>${title}</h1>
          ${body}
        </main>
        ${footer && html`<footer>${footer}</footer>`}
      </body>
    </html> `;
  const policy = [
    "default-src 'none'",
    `style-src ${STYLE_SOURCE}`,
    "img-src data:",
    `form-action ${["'self'", ...formTargets].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return new Response(page.text, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      // Not `no-referrer`, with which browsers hide the origin of a form, which this server needs.
      "referrer-policy": "same-origin",
      ...SAFE_HEADERS,
      ...headers,
    },
  });
}

/** Redirects the browser with a GET; the next server does not learn where it came from. */
export function redirectAnswer(location: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { location, "referrer-policy": "no-referrer", ...SAFE_HEADERS, ...headers },
  });
}
