import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Containers that are opened. Playlists and others that name further files are not among them. */
const DEMUXERS = "mov,matroska,avi,mp3,wav,ogg,flac,aac";

/**
 * Lends a file to ffmpeg and ffprobe, which want to go back and forth in it: in a folder that only this user may enter, and that is
 * gone afterwards.
 * @param use gets the options that name the file and keep the programs from opening any other one
 */
export async function lendFile<T>(bytes: Uint8Array, use: (input: readonly string[]) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-media-"));
  try {
    const path = join(folder, "recording");
    await writeFile(path, bytes, { mode: 0o600 });
    return await use(["-protocol_whitelist", "file", "-format_whitelist", DEMUXERS, "-i", `file:${path}`]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
