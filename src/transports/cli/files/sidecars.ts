import { readdir } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { groupBy } from "../../../lib/group-by.js";
import { MEDIA_ENDINGS } from "../../../lib/media-endings.js";
import type { FileToAdd } from "./add-files.js";

const RECORDINGS = new Set(MEDIA_ENDINGS.map((ending) => `.${ending}`));
const SUBTITLES = new Set([".srt", ".vtt"]);
/** What follows the recording's name, as players know it: `.en`, `.pt-BR`, `.en.sdh`. */
const LANGUAGE = /^\.[a-z]{2,3}(?:[-_][a-z0-9]{2,8})?(?:\.(?:sdh|cc|hi))?$/i;

/** Subtitle files that lie beside recordings and videos of the same name. */
export interface Sidecars {
  /** The subtitles to use for each recording, by its path. */
  readonly chosen: ReadonlyMap<string, string>;
  /** All subtitle files beside a recording: the others say the same in other languages. */
  readonly all: ReadonlySet<string>;
}

/**
 * Finds the subtitle files among paths that lie beside a recording or video of the same name. Of several, the one without a
 * language counts, otherwise the English one, otherwise the first by name.
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

/**
 * Files with their subtitles, which are then not files of their own. For a recording named on its own, its folder is searched.
 */
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
  /** The path, without extension, of the recording that it may belong to. */
  readonly stem: string;
  /** With its dot, or empty. */
  readonly language: string;
}

/** What a subtitle file may belong to: `film.en.srt` to `film` or to `film.en`. */
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
