import * as z from "zod";
import type { FetchedFile } from "../../../core/ports.js";
import { askIfThere, type AskPlace, type FetchContent, fileJson, type KnownPlace, fileText } from "./known-place.js";

const RAW = "https://raw.githubusercontent.com";
/** Where files are that a repository only points to. */
const LARGE_FILES = "https://media.githubusercontent.com/media";
const POINTER = "version https://git-lfs.github.com/spec/";
const LONGEST_POINTER = 1_024;
/** A README comes within JSON up to a size of 1 MB. */
const LARGEST_ANSWER = 4 * 1024 * 1024;

const FILE = /^\/([\w.-]+)\/([\w.-]+)\/(?:blob|raw)\/(.+)$/;
const FOLDER = /^\/([\w.-]+)\/([\w.-]+)\/tree\/(.+?)\/?$/;
const REPOSITORY = /^\/([\w.-]+)\/([\w.-]+)\/?$/;
const GIST = /^\/([\w.-]+)\/([0-9a-f]{8,64})\/?$/;

/** Files as they are, and the README of a repository or folder. Everything else on GitHub is read as the page it is. */
export const github: KnownPlace = {
  find({ hostname, pathname, search }) {
    if (hostname === "gist.github.com") return search === "" ? gistOf(pathname) : null;
    if (hostname !== "github.com" && hostname !== "www.github.com") return null;
    const [, owner = "", repository = "", file] = FILE.exec(pathname) ?? [];
    if (file !== undefined) return (ask) => fetchFile(ask, `${owner}/${repository}/${file}`);
    if (search !== "" && search !== "?tab=readme-ov-file") return null;
    return folderOf(pathname) ?? repositoryOf(pathname);
  },
};

function gistOf(pathname: string): FetchContent | null {
  const [, owner, gist] = GIST.exec(pathname) ?? [];
  if (gist === undefined) return null;
  return (ask) => askIfThere(ask, `https://gist.githubusercontent.com/${owner}/${gist}/raw`);
}

function folderOf(pathname: string): FetchContent | null {
  const [, owner, repository, folder] = FOLDER.exec(pathname) ?? [];
  if (folder === undefined) return null;
  return (ask) => askIfThere(ask, `${RAW}/${owner}/${repository}/${folder}/README.md`);
}

function repositoryOf(pathname: string): FetchContent | null {
  const [, owner, name] = REPOSITORY.exec(pathname) ?? [];
  if (name === undefined) return null;
  return async (ask) =>
    (await askIfThere(ask, `${RAW}/${owner}/${name}/HEAD/README.md`)) ?? fetchOtherReadme(ask, `${owner}/${name}`);
}

async function fetchFile(ask: AskPlace, path: string): Promise<FetchedFile | null> {
  const file = await askIfThere(ask, `${RAW}/${path}`);
  const isPointer = file !== null && file.bytes.byteLength <= LONGEST_POINTER && fileText(file).startsWith(POINTER);
  return isPointer ? askIfThere(ask, `${LARGE_FILES}/${path}`) : file;
}

const readmeSchema = z.object({ name: z.string().max(255), encoding: z.literal("base64"), content: z.string().min(1) });

/** A README may have another name, or be in another folder; GitHub's API knows which one is shown. */
async function fetchOtherReadme(ask: AskPlace, repository: string): Promise<FetchedFile | null> {
  const address = `https://api.github.com/repos/${repository}/readme`;
  const wishes = { accept: "application/vnd.github+json", maximumBytes: LARGEST_ANSWER };
  // Its rate limit without a token is low, and the page exists in any case.
  const answer = await ask(address, wishes).catch(() => null);
  const readme = answer && readmeSchema.safeParse(fileJson(answer)).data;
  if (!answer || !readme) return null;
  const { name, content } = readme;
  return { ...answer, name, mimeType: null, charset: null, bytes: Uint8Array.from(Buffer.from(content, "base64")) };
}
