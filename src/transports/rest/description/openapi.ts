import * as z from "zod";
import { loadOnce } from "../../../lib/load-once.js";
import { defineEndpoint, type Endpoint } from "../endpoint.js";
import type { ApiDocument } from "./describe-api.js";

/** The OpenAPI document, generated at the first request for it: that takes longer than starting. */
export interface ApiDescription {
  /** @param version of this server */
  at(origin: string, version: string): Promise<ApiDocument>;
}

/** Describes these endpoints; they are requested late, because the endpoint of the description is one of them. */
export function createApiDescription(endpoints: () => readonly Endpoint[]): ApiDescription {
  const load = loadOnce(async () => {
    const { describeApi } = await import("./describe-api.js");
    return describeApi(endpoints());
  });
  // Callers may name any host: none of them costs more than this.
  return {
    async at(origin, version) {
      const document = await load();
      return { ...document, info: { ...document.info, version }, servers: [{ url: origin }] };
    },
  };
}

/** contract 1.1. */
export function openApiEndpoints(description: ApiDescription) {
  return [
    defineEndpoint({
      method: "get",
      path: "/v3/openapi",
      aliases: ["/v4/openapi", "/openapi.json"],
      operationId: "getOpenApi",
      summary: "Get this document",
      description:
        "The whole API as OpenAPI 3.1; `/v4/openapi` and `/openapi.json` return the same document. Needs no key.",
      tag: "service",
      needsKey: false,
      status: 200,
      answer: z.looseObject({
        openapi: z.string(),
        info: z.record(z.string(), z.unknown()),
        paths: z.record(z.string(), z.unknown()),
      }),
      handle: async ({ origin, version }) => Response.json(await description.at(origin, version)),
    }),
  ];
}
