import { delimiter, isAbsolute, join } from "node:path";

/** Where this user's programs keep their settings, by the variables that those programs document. */
export interface UserFolders {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** `XDG_CONFIG_HOME`, or `~/.config`. */
  readonly configFolder: string;
  /** `APPDATA`, or its default; used only on Windows. */
  readonly appData: string;
  /** `CLAUDE_CONFIG_DIR` of Claude Code; undefined for its default. */
  readonly claudeFolder: string | undefined;
  /** `CODEX_HOME`, or `~/.codex`. */
  readonly codexFolder: string;
  /** Folders of `PATH`. */
  readonly programFolders: readonly string[];
}

/** The places that an environment describes. Relative folders count as absent, as the XDG specification demands. */
export function userFoldersOf(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
  platform: NodeJS.Platform,
): UserFolders {
  const folder = (name: string): string | undefined => {
    const text = environment[name]?.trim() ?? "";
    return isAbsolute(text) ? text : undefined;
  };
  return {
    home,
    platform,
    configFolder: folder("XDG_CONFIG_HOME") ?? join(home, ".config"),
    appData: folder("APPDATA") ?? join(home, "AppData", "Roaming"),
    claudeFolder: folder("CLAUDE_CONFIG_DIR"),
    codexFolder: folder("CODEX_HOME") ?? join(home, ".codex"),
    programFolders: (environment["PATH"] ?? environment["Path"] ?? "").split(delimiter).filter((part) => part !== ""),
  };
}
