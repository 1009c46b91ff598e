import { spawn } from "node:child_process";

const OPENERS: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ["open"],
  // `start` of the command shell reads characters such as & itself; this does not.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens an address in the browser that this machine uses. @returns false when there is no program that could */
export function openInBrowser(url: string, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  const [command, ...args] = OPENERS[platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
