import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  readonly path: string;
  resize(size: string): void;
  /** Uses up all free space. */
  fill(): void;
  remove(): void;
}

/**
 * A small file system, where the system allows mounting one.
 * @param entries how many files and folders it holds, including its own
 */
export function mountSmallDisk(size: string, entries?: number): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), `recollect-disk-${size}-`));
  const options = entries === undefined ? `size=${size}` : `size=${size},nr_inodes=${entries}`;
  const run = (command: string, ...parameters: string[]): boolean => spawnSync(command, parameters).status === 0;
  if (!run("mount", "-t", "tmpfs", "-o", options, "tmpfs", path)) {
    run("rmdir", path);
    return null;
  }
  return {
    path,
    resize: (newSize) => {
      run("mount", "-o", `remount,size=${newSize}`, path);
    },
    fill() {
      const ballast = openSync(join(path, "ballast"), "a");
      for (const bytes of [65_536, 4_096, 1]) while (hasRoomFor(ballast, bytes));
      closeSync(ballast);
    },
    remove: () => {
      run("umount", "-l", path);
      run("rmdir", path);
    },
  };
}

function hasRoomFor(file: number, bytes: number): boolean {
  try {
    writeSync(file, Buffer.alloc(bytes));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    return false;
  }
}
