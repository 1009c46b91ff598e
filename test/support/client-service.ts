import { openRest, type OpenedRest, type RestOptions } from "./rest.js";

/** A service on a real socket with a real key, as seen by a client that knows a base URL and a key. */
export interface ClientService {
  readonly rest: OpenedRest;
  readonly url: string;
  readonly key: string;
  /** Creates another key; with a client's name it belongs to that client. */
  createKey(client?: string): Promise<string>;
  /** Resolves when no background work is due or running. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export async function openClientService(options: RestOptions = {}): Promise<ClientService> {
  const rest = await openRest(options);
  const { url } = await rest.listen();
  const createKey = async (client?: string) => {
    const { secret } = await rest.core.createKey({ actor: rest.actor }, { name: client ?? "client", client });
    return secret;
  };
  return { rest, url, key: await createKey(), createKey, settle: () => rest.settle(), close: () => rest.close() };
}
