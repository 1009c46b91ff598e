import { readdir } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { groupBy } from "../../../lib/group-by.js";
import { MEDIA_ENDINGS } from "../../../lib/media-endings.js";
import type { FileToAdd } from "./add-files.js";

const RECORDINGS = new Set(MEDIA_ENDINGS.map((ending) => `.${ending}`));
const SUBTITLES = new Set([".srt", ".vtt"]);
/** Behind the name of the recording, as players know it: `.en`, `.pt-BR`, `.en.sdh`. */
const LANGUAGE = /^\.[a-z]{2,3}(?:[-_][a-z0-9]{2,8})?(?:\.(?:sdh|cc|hi))?$/i;

/** Subtitle files by the recordings and videos of the same name that they lie beside. */
export interface Sidecars {
  /** What stands for the words of each recording, by its path. */
  readonly chosen: ReadonlyMap<string, string>;
  /** All that lie beside one: the others say the same in other languages. */
  readonly all: ReadonlySet<string>;
}

/**
 * Finds the subtitle files among paths that lie beside a recording or video of the same name. Of several, the one without a
 * language counts, else the English one, else the first by name.
 */
export function findSidecars(paths: Iterable<string>): Sidecars {
  const named = [...paths];
  const byStem = groupBy(
    named.filter(isSubtitles).flatMap((path) => readNames(path)),
    ({ stem }) => stem,
  );
  const chosen = new Map<string, string>();
  const all = new Set<string>();
  for (const recording of named.filter(isRecording)) {
    const beside = byStem.get(withoutEnding(recording)) ?? [];
    const [first] = beside.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
    if (first) chosen.set(recording, first.path);
    for (const other of beside) all.add(other.path);
  }
  return { chosen, all };
}

/** Files with their subtitles, which are no files of their own then. Beside one that was named alone, its folder is looked at. */
export async function withSidecars(files: readonly FileToAdd[]): Promise<readonly FileToAdd[]> {
  const paths = new Set(files.map(({ path }) => path));
  const alone = files.filter(({ path, root }) => root === null && isRecording(path));
  for (const folder of new Set(alone.map(({ path }) => dirname(path))))
    for (const name of await readdir(folder).catch(() => [])) if (isSubtitles(name)) paths.add(join(folder, name));
  const { chosen, all } = findSidecars(paths);
  return files
    .filter(({ path }) => !all.has(path))
    .map((file) => {
      const subtitles = chosen.get(file.path);
      return subtitles === undefined ? file : { ...file, subtitles };
    });
}

function isRecording(path: string): boolean {
  return RECORDINGS.has(extname(path).toLowerCase());
}

function isSubtitles(path: string): boolean {
  return SUBTITLES.has(extname(path).toLowerCase());
}

interface Named {
  readonly path: string;
  /** The path without its ending of the recording that it may belong to. */
  readonly stem: string;
  /** With a dot, or empty. */
  readonly language: string;
}

/** What a subtitle file may be of: `film.en.srt` of a `film`, and of a `film.en`. */
function readNames(path: string): Named[] {
  const whole = withoutEnding(path);
  const folder = dirname(path);
  const parts = basename(whole).split(".");
  const named: Named[] = [{ path, stem: whole, language: "" }];
  for (const count of [1, 2]) {
    const [name, language] = [parts.slice(0, -count).join("."), `.${parts.slice(-count).join(".")}`];
    if (name !== "" && LANGUAGE.test(language)) named.push({ path, stem: join(folder, name), language });
  }
  return named;
}

function withoutEnding(path: string): string {
  return join(dirname(path), basename(path, extname(path)));
}

function rank({ language, path }: Named): string {
  const place = language === "" ? 0 : /^\.en\b/i.test(language) ? 1 : 2;
  return `${place}${path}`;
}
