import { readConfig } from "../../src/config.js";
import { AppError } from "../../src/core/errors.js";
import { type Core, coreOver } from "../../src/core/index.js";
import type { Actor } from "../../src/core/types.js";
import {
  createHttpFace,
  type HttpApp,
  type HttpFaceOptions,
  listen,
  type RunningServer,
} from "../../src/transports/http.js";
import { captureLog } from "./captured-log.js";
import { openCore } from "./open-core.js";

export interface OAuthService {
  readonly app: HttpApp;
  /** The whole service, even while the connection is cut. */
  readonly core: Core;
  readonly actor: Actor;
  /** The connection from the server to the process that owns the store. */
  readonly way: { isCut: boolean; /** Only calls that write. */ isReadOnly: boolean };
  listen(port?: number): Promise<RunningServer>;
  close(): Promise<void>;
}

export interface OAuthServiceOptions {
  readonly dataDirectory?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly documents?: HttpFaceOptions["documents"];
}

/** A server whose connection to the store can be cut, as if the owning process had ended. */
export async function openOAuthService(options: OAuthServiceOptions = {}): Promise<OAuthService> {
  const { settings = {}, documents, ...place } = options;
  const opened = await openCore({ ...place, settings });
  const way = { isCut: false, isReadOnly: false };
  const core = coreOver(async (name, call, input) => {
    if (way.isCut || (way.isReadOnly && /^(save|consume|drop|allow)/.test(name)))
      throw new AppError("unavailable", "The process that owns the data is not there.");
    // Between processes, everything is transferred as JSON.
    const asked = input === undefined ? undefined : JSON.parse(JSON.stringify(input));
    return JSON.parse(JSON.stringify(await opened.core[name](call, asked)));
  });
  const config = readConfig({ ...settings });
  const log = captureLog();
  const app = createHttpFace({
    core,
    log,
    organizationId: opened.actor.organizationId,
    limits: config,
    uploads: opened.uploads,
    allowed: { publicUrl: config.publicUrl, hosts: config.allowedHosts, origins: config.allowedOrigins },
    defaultContainer: config.container,
    version: "0.0.0-test",
    isReady: () => true,
    documents,
  });
  const servers: RunningServer[] = [];
  return {
    app,
    core: opened.core,
    actor: opened.actor,
    way,
    async listen(port = 0) {
      const server = await listen(app, { host: "127.0.0.1", port, log });
      servers.push(server);
      return server;
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      await opened.close();
    },
  };
}
