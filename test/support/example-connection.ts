import { useCleanups } from "./cleanups.js";
import { connect, type Connected, type ConnectOptions } from "./connection.js";
import { type ExampleSource, startExampleSource } from "./scripted-source.js";

/** Made-up sources and connections to them, which are closed after each test of the file. */
export function useExampleSources() {
  const cleanups = useCleanups();
  const startSource = async (hasFeed = true): Promise<ExampleSource> => {
    const source = await startExampleSource({ hasFeed });
    cleanups.push(() => source.close());
    return source;
  };
  /** A connection to a scripted source on this machine, synced once. */
  const connectTo = async (source: ExampleSource, options: Partial<ConnectOptions> = {}): Promise<Connected> => {
    const connectors = [source.connector];
    const connected = await connect({ provider: "granola", metadata: { apiKey: "good" }, connectors, ...options });
    cleanups.push(() => connected.close());
    return connected;
  };
  return { cleanups, startSource, connectTo };
}

/** @returns the ids of this many notes */
export async function fill(source: ExampleSource, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1)
    ids.push(await source.put(`Note ${index}`, `Person number ${index} plants ${index} pear trees.`));
  return ids;
}
