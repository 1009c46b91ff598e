import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { userFoldersOf } from "../src/config/user-folders.js";

const HOME = "/home/mia";

test("without variables everything lies in its usual place in the home folder", () => {
  expect(userFoldersOf({}, HOME, "linux")).toEqual({
    home: HOME,
    platform: "linux",
    configFolder: join(HOME, ".config"),
    appData: join(HOME, "AppData", "Roaming"),
    claudeFolder: undefined,
    codexFolder: join(HOME, ".codex"),
    programFolders: [],
  });
});

test("the variables of the programs themselves move their folders", () => {
  const environment = {
    XDG_CONFIG_HOME: "/x",
    APPDATA: "/a",
    CLAUDE_CONFIG_DIR: "/claude",
    CODEX_HOME: " /codex ",
    PATH: ["/bin", "", "/usr/bin"].join(delimiter),
  };
  expect(userFoldersOf(environment, HOME, "win32")).toMatchObject({
    configFolder: "/x",
    appData: "/a",
    claudeFolder: "/claude",
    codexFolder: "/codex",
    programFolders: ["/bin", "/usr/bin"],
  });
});

test.each(["", " ", "relative/folder"])("a variable that holds %j counts as absent", (text) => {
  const environment = { XDG_CONFIG_HOME: text, CODEX_HOME: text, CLAUDE_CONFIG_DIR: text, APPDATA: text };
  expect(userFoldersOf(environment, HOME, "linux")).toEqual(userFoldersOf({}, HOME, "linux"));
});
