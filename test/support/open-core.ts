import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openService } from "../../src/app.js";
import { readConfig, readUserFolders } from "../../src/config.js";
import { localActor, type Core } from "../../src/core/index.js";
import type { Clock, Connector, Log, UploadStore } from "../../src/core/ports.js";
import type { Actor } from "../../src/core/types.js";
import { makeFolderWithStore } from "./empty-store.js";
import { isRecordOnServer, recordSettings } from "./record-database.js";
import { sharedExtractor, silentLog } from "./shared-extractor.js";
import { uploadsOf } from "./uploads-of.js";

export { silentLog };

export interface OpenedCore {
  readonly core: Core;
  readonly actor: Actor;
  readonly dataDirectory: string;
  readonly uploads: UploadStore;
  /** Resolves when no background work is due or running. */
  settle(): Promise<void>;
  /** Ends the service; a data folder that was passed in is kept. */
  close(): Promise<void>;
}

export interface OpenCoreOptions {
  /** Settings by variable name. */
  readonly settings?: Readonly<Record<string, string>>;
  /** An existing data folder to open; a new one is removed at the end. */
  readonly dataDirectory?: string;
  readonly log?: Log;
  readonly connectors?: readonly Connector[];
  readonly clock?: Clock;
}

function makeDataFolder(): Promise<string> {
  const prefix = "recollect-test-";
  return isRecordOnServer() ? mkdtemp(join(tmpdir(), prefix)) : makeFolderWithStore(prefix);
}

/** The whole service in this process, over a real store in a temporary folder. */
export async function openCore(options: OpenCoreOptions = {}): Promise<OpenedCore> {
  const dataDirectory = options.dataDirectory ?? (await makeDataFolder());
  const config = readConfig({
    RECOLLECT_DATA_DIR: dataDirectory,
    RECOLLECT_OFFLINE: "1",
    ...(await recordSettings(dataDirectory)),
    ...options.settings,
  });
  const service = await openService({
    config,
    version: "0.0.0-test",
    log: options.log ?? silentLog,
    engine: "off",
    ...(config.reading.languages === "eng" && {
      extractor: sharedExtractor({ ...config.reading, programFolders: readUserFolders().programFolders }),
    }),
    ...(options.connectors && { connectors: options.connectors }),
    ...(options.clock && { clock: options.clock }),
  });
  const { organizationId } = await service.core.session({ actor: localActor("") });
  return {
    core: service.core,
    actor: localActor(organizationId),
    dataDirectory,
    uploads: uploadsOf({ dataDirectory }),
    settle: () => service.settle(),
    async close() {
      await service.close();
      if (options.dataDirectory === undefined) await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}
