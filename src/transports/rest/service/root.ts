import * as z from "zod";
import { defineEndpoint } from "../endpoint.js";

/** This server's documents about the API. */
const ADDRESSES = { openapi: "/v3/openapi", reference: "/reference", health: "/health" } as const;

/** `GET /`: any response shows the SDK's search for a local server that there is one (contract 1.3). */
export const rootEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/",
    operationId: "getServer",
    summary: "Get the name and version of the server",
    description: "Needs no key. Clients that look for a local server accept any response as proof that there is one.",
    tag: "service",
    needsKey: false,
    status: 200,
    answer: z.object({
      name: z.string(),
      version: z.string(),
      description: z.string(),
      documentation: z.object({ openapi: z.string(), reference: z.string(), health: z.string() }),
    }),
    handle: ({ origin, version }) => ({
      name: "Recollect",
      version,
      description: "A memory for AI agents that implements the Supermemory API.",
      documentation: {
        openapi: `${origin}${ADDRESSES.openapi}`,
        reference: `${origin}${ADDRESSES.reference}`,
        health: `${origin}${ADDRESSES.health}`,
      },
    }),
  }),
];
