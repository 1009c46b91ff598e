import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Allowed containers. Playlists and other formats that refer to further files are not among them. */
const DEMUXERS = "mov,matroska,avi,mp3,wav,ogg,flac,aac";

/**
 * Provides a file to ffmpeg and ffprobe, which need random access: in a folder that only this user may enter, and that is removed
 * afterwards.
 * @param use receives the options that name the file and keep the programs from opening any other
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
