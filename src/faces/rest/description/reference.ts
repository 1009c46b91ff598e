import { createHash } from "node:crypto";
import { defineEndpoint } from "../endpoint.js";
import type { ApiDescription } from "./openapi.js";

/** The page loads nothing and runs nothing: only its own style, by its hash. */
function contentSecurityPolicy(style: string): string {
  const hash = createHash("sha256").update(style).digest("base64");
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** The API reference for people. */
export function referenceEndpoints(description: ApiDescription) {
  return [
    defineEndpoint({
      method: "get",
      path: "/reference",
      aliases: ["/docs"],
      summary: "The API for people",
      description: "The OpenAPI document as one page without scripts; `/docs` is the same page. Needs no key.",
      tag: "service",
      needsKey: false,
      status: 200,
      produces: "text/html",
      async handle({ origin }) {
        const [{ renderReference }, { STYLE }] = await Promise.all([
          import("./reference/page.js"),
          import("./reference/style.js"),
        ]);
        return new Response(renderReference(await description.at(origin), origin), {
          headers: {
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": contentSecurityPolicy(STYLE),
            "referrer-policy": "no-referrer",
          },
        });
      },
    }),
  ];
}
