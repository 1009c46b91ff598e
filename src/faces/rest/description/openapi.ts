import * as z from "zod";
import { defineEndpoint, type Endpoint } from "../endpoint.js";
import type { ApiDocument } from "./describe-api.js";

/** Whoever asks may name any host, so only some are remembered. */
const REMEMBERED_ORIGINS = 20;

/** The document that describes the API, made at the first request for it: it takes longer than starting. */
export interface ApiDescription {
  at(origin: string): Promise<ApiDocument>;
}

/** Describes these endpoints; they are asked for late, because what describes them is one of them. */
export function createApiDescription(endpoints: () => readonly Endpoint[]): ApiDescription {
  const known = new Map<string, ApiDocument>();
  return {
    async at(origin) {
      const found = known.get(origin);
      if (found) return found;
      const { describeApi } = await import("./describe-api.js");
      if (known.size >= REMEMBERED_ORIGINS) known.clear();
      const document = describeApi(endpoints(), origin);
      known.set(origin, document);
      return document;
    },
  };
}

/** contract.md §1.1. */
export function openApiEndpoints(description: ApiDescription) {
  return [
    defineEndpoint({
      method: "get",
      path: "/v3/openapi",
      aliases: ["/v4/openapi", "/openapi.json"],
      summary: "This document",
      description: "The whole API as OpenAPI 3.1; `/v4/openapi` and `/openapi.json` answer the same. Needs no key.",
      tag: "service",
      needsKey: false,
      status: 200,
      answer: z.looseObject({
        openapi: z.string(),
        info: z.record(z.string(), z.unknown()),
        paths: z.record(z.string(), z.unknown()),
      }),
      handle: async ({ origin }) => Response.json(await description.at(origin)),
    }),
  ];
}
