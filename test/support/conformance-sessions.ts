import { randomUUID } from "node:crypto";
import { isLegacyRequest, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { objectionToHost } from "../../src/transports/allowed-hosts.js";
import { visitorOf } from "../../src/transports/visitor.js";
import { identify } from "../../src/transports/auth.js";
import { type HttpApp, type HttpBindings, listen, type RunningServer } from "../../src/transports/http.js";
import { createMcpFactory, type McpExtension } from "../../src/transports/mcp/server.js";
import type { OpenedRest } from "./rest.js";
import { silentLog } from "./open-core.js";

/**
 * Serves an application, and keeps sessions for clients of the earlier protocol era, unlike the product: only
 * with them can a server ask such a client something during a call. Sessions come from the protocol library; who may
 * have one, and what its servers offer, is decided by the product.
 */
export async function listenWithSessions(rest: OpenedRest, extension: McpExtension): Promise<RunningServer> {
  const { app, core, actor } = rest;
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  async function open(request: Request, bindings: HttpBindings): Promise<Response> {
    if (objectionToHost(request.headers, {}) !== null) return new Response(null, { status: 403 });
    const visitor = visitorOf(request, bindings, undefined);
    const who = await identify(visitor, { core, organizationId: actor.organizationId });
    const factory = createMcpFactory({
      principal: () => ({ session: () => Promise.resolve({ core, actor: who }), defaultContainer: "default" }),
      log: silentLog,
      version: "0.0.0-test",
      extension,
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    const server = await factory({ era: "legacy" });
    await server.connect(transport);
    return transport.handleRequest(request);
  }

  const fetch = async (request: Request, bindings: HttpBindings = {}): Promise<Response> => {
    const id = request.headers.get("mcp-session-id");
    const session = id === null ? undefined : sessions.get(id);
    if (session) return session.handleRequest(request);
    if (request.method !== "POST" || !(await isLegacyRequest(request))) return app.fetch(request, bindings);
    return id === null ? open(request, bindings) : new Response(null, { status: 404 });
  };
  return listen({ fetch: fetch as HttpApp["fetch"] }, { host: "127.0.0.1", port: 0, log: silentLog });
}
