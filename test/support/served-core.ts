import { readConfig } from "../../src/config.js";
import { createHttpFace, listen } from "../../src/transports/http.js";
import { captureLog } from "./captured-log.js";
import { type ManualCore, openManualCore } from "./manual-core.js";
import { uploadsOf } from "./uploads-of.js";

/** A service over a real socket, with the core behind it; a key is always required. */
export interface ServedCore {
  readonly url: string;
  readonly opened: ManualCore;
  close(): Promise<void>;
}

export async function serveCore(): Promise<ServedCore> {
  const log = captureLog();
  const opened = await openManualCore({ log });
  const app = createHttpFace({
    core: opened.core,
    log,
    organizationId: opened.store.organizationId,
    limits: readConfig({}),
    uploads: uploadsOf(opened),
    access: { isKeylessOff: true, trustedProxies: readConfig({}).trustedProxies },
    defaultContainer: "sm_project_default",
    mcpTools: "all",
    version: "0.0.0-test",
    isReady: () => true,
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0, log });
  return {
    url: server.url,
    opened,
    async close() {
      await server.close();
      await opened.close();
    },
  };
}
