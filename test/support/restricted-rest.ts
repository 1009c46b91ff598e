import { readConfig } from "../../src/config.js";
import { type Call, coreOver } from "../../src/core/index.js";
import { createHttpFace } from "../../src/transports/http.js";
import { captureLog } from "./captured-log.js";
import { LOOPBACK, type OpenedRest, readAnswer, requestInit, type RestAnswer } from "./rest.js";
import { uploadsOf } from "./uploads-of.js";

/** The same service for a caller who may use only some containers. */
export function restrictTo(
  { core, actor, dataDirectory }: OpenedRest,
  containers: readonly string[],
): (method: string, path: string, body?: unknown) => Promise<RestAnswer> {
  const restricted = (call: Call): Call => ({ ...call, actor: { ...call.actor, name: "key:restricted", containers } });
  const app = createHttpFace({
    core: coreOver((name, call, input) => core[name](restricted(call), input)),
    log: captureLog(),
    organizationId: actor.organizationId,
    limits: readConfig({}),
    uploads: uploadsOf({ dataDirectory }),
    defaultContainer: "unused",
    version: "0.0.0-test",
    isReady: () => true,
  });
  return async (method, path, body) => readAnswer(await app.request(path, requestInit(method, body), LOOPBACK));
}
