import { createHash } from "node:crypto";
import { loadOnce } from "../../../lib/load-once.js";
import { defineEndpoint } from "../endpoint.js";
import type { ApiDescription } from "./openapi.js";

/** The page loads and runs nothing but its own style, allowed by its hash. */
function contentSecurityPolicy(style: string): string {
  const hash = createHash("sha256").update(style).digest("base64");
  return `default-src 'none'; img-src data:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** Placeholder for the server's address while the page is rendered, which takes longer than everything else about it. */
const ANY_ORIGIN = "http://any-origin.invalid";
/** Contains nothing special to HTML or a shell. Hosts may have other characters; anyone who uses one is shown another address. */
const PLAIN_ORIGIN = /^https?:\/\/[\w.:[\]-]{1,300}$/;
const USUAL_ORIGIN = "http://127.0.0.1:6767";

/** The API reference for people. */
export function referenceEndpoints(description: ApiDescription) {
  const load = loadOnce(async () => {
    const [{ renderReference }, { STYLE }] = await Promise.all([
      import("./reference/page.js"),
      import("./reference/style.js"),
    ]);
    const page = renderReference(await description.at(ANY_ORIGIN, ""), ANY_ORIGIN);
    return { parts: page.split(ANY_ORIGIN), policy: contentSecurityPolicy(STYLE) };
  });
  return [
    defineEndpoint({
      method: "get",
      path: "/reference",
      aliases: ["/docs"],
      operationId: "getReference",
      summary: "Get the API reference as a web page",
      description: "The OpenAPI document as one page without scripts; `/docs` is the same page. Needs no key.",
      tag: "service",
      needsKey: false,
      status: 200,
      produces: "text/html",
      async handle({ origin }) {
        const { parts, policy } = await load();
        return new Response(parts.join(PLAIN_ORIGIN.test(origin) ? origin : USUAL_ORIGIN), {
          headers: {
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": policy,
            "referrer-policy": "no-referrer",
          },
        });
      },
    }),
  ];
}
