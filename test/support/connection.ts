import { openCore, type OpenCoreOptions, type OpenedCore } from "./open-core.js";

export const ONLINE = { RECOLLECT_OFFLINE: "0", RECOLLECT_FETCH_ALLOW: "127.0.0.1,localhost" };

/** A service with one connection, whose source is scripted on this machine. */
export interface Connected extends OpenedCore {
  readonly id: string;
  /** Syncs it and returns the latest run. */
  sync(options?: { readonly confirmRemovals?: boolean }): ReturnType<typeof lastRun>;
  /** The documents of its container: texts by titles. */
  texts(): Promise<Record<string, string>>;
}

export interface ConnectOptions extends OpenCoreOptions {
  readonly provider: string;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  readonly create?: Readonly<Record<string, unknown>>;
}

/** The container for its documents. */
export const TAG = "connected";

/** Opens a service, connects it, and waits for the first run. */
export async function connect({ provider, metadata, create, ...options }: ConnectOptions): Promise<Connected> {
  const opened = await openCore({ ...options, settings: { ...ONLINE, ...options.settings } });
  const { core, actor } = opened;
  try {
    const wanted = { provider, containerTag: TAG, metadata, ...create };
    const { id } = await core.createConnection({ actor }, wanted);
    await opened.settle();
    return {
      ...opened,
      id,
      async sync(body = {}) {
        await core.syncOneConnection({ actor }, { id, ...body });
        await opened.settle();
        return lastRun(opened, id);
      },
      texts: () => textsOf(opened),
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

export async function lastRun({ core, actor }: Pick<OpenedCore, "core" | "actor">, id: string) {
  const [run] = (await core.listSyncRuns({ actor }, { id })).runs;
  if (!run) throw new Error("There was no run.");
  return run;
}

export async function textsOf({ core, actor }: Pick<OpenedCore, "core" | "actor">): Promise<Record<string, string>> {
  const query = { containerTags: [TAG], limit: 1_000, includeContent: true };
  const { documents } = await core.listDocuments({ actor }, query);
  return Object.fromEntries(documents.map(({ title, content }) => [title ?? "", content ?? ""]));
}
