import { createOneDriveConnector } from "../../../src/connectors/onedrive/onedrive.js";
import type { FollowedProvider } from "../followed-source.js";
import { startScriptedOneDrive } from "../scripted-onedrive.js";
import { failLater } from "./google.js";

/** Files in folders, which are also moved, renamed and binned. */
export const ONEDRIVE: FollowedProvider = {
  provider: "onedrive",
  nameOf: (count) => `note ${count}.md`,
  async start() {
    const drive = await startScriptedOneDrive("good");
    const folder = (name: string, parent?: string) =>
      drive.put(name, "", { isFolder: true, ...(parent !== undefined && { parent }) });
    const outer = await folder("outer");
    const inner = await folder("inner", outer);
    const other = await folder("other");
    const places = [undefined, outer, inner, other];
    const binned = new Set<string>();
    const placeOf = new Map<string, string | undefined>();
    let innerIn = outer;
    let made = 0;
    const isIn = (place: string | undefined, one: string): boolean =>
      place === one || (place === inner && innerIn === one);
    const isHidden = (place: string | undefined): boolean => [...binned].some((one) => isIn(place, one));
    const open = () => places.filter((place) => !isHidden(place));
    return {
      connector: createOneDriveConnector({ baseUrl: drive.url, authorityUrl: `${drive.url}/common` }),
      metadata: {},
      async put(name, text) {
        const place = open()[(made += 1) % open().length];
        const id = await drive.put(name, text, place === undefined ? {} : { parent: place });
        placeOf.set(id, place);
        return id;
      },
      async edit({ id }, text) {
        await drive.edit(id, text);
        return id;
      },
      async rename({ id }, name) {
        await drive.rename(id, name);
        return id;
      },
      remove: ({ id }) => drive.remove(id),
      restore: async ({ id }) => (await drive.restore(id), true),
      events: [
        async (pick, entries) => {
          const movable = entries.filter(({ isThere, id }) => isThere && !isHidden(placeOf.get(id)));
          const entry = movable[pick % Math.max(1, movable.length)];
          const targets = open().flatMap((place) => place ?? []);
          const target = targets[pick % targets.length];
          if (!entry || target === undefined) return;
          placeOf.set(entry.id, target);
          await drive.move(entry.id, target);
        },
        async (pick) => {
          const one = pick % 2 === 0 ? inner : other;
          if (binned.delete(one)) await drive.restore(one);
          else {
            binned.add(one);
            await drive.remove(one);
          }
        },
        (pick) => drive.rename(pick % 2 === 0 ? inner : other, `folder ${pick}`),
        async () => {
          if (binned.has(inner) || binned.has(other)) return;
          innerIn = innerIn === outer ? other : outer;
          await drive.move(inner, innerIn);
        },
      ],
      hidden: () => new Set([...placeOf].filter(([, place]) => isHidden(place)).map(([id]) => id)),
      titleOf: ({ name }) => name,
      forbid: ({ id }) =>
        drive.fail({ kind: "status", status: 403, path: new RegExp(`/items/${encodeURIComponent(id)}/content$`) }, 100),
      fail: (fault, after) => failLater(drive, fault, after),
      expire: () => drive.expire(),
      heal: () => drive.heal(),
      requests: () => drive.requests(),
      // The changes since the last link.
      least: () => 1,
      close: () => drive.close(),
    };
  },
};
