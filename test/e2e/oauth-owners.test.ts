import { expect, test } from "vitest";
import { createApp } from "../support/oauth-app.js";
import { createBrowser } from "../support/oauth-browser.js";
import { useMcp } from "../support/oauth-use.js";
import { startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";

const KEY = "sm_org_0123456789abcdef0123456789";

test(
  "a process that does not own the data authorises apps, whose tokens stay valid when it becomes the owner",
  { timeout: 60_000 },
  () =>
    withDataDirectory(async (data) => {
      const owner = await startServe(data, { RECOLLECT_API_KEY: KEY });
      const other = await startServe(data, { RECOLLECT_API_KEY: KEY });
      try {
        const app = await createApp(other.url);
        const browser = createBrowser(other.url);
        const signIn = await browser.open(app.authorizeUrl());
        const question = await browser.submit(signIn, [["secret", KEY]]);
        expect(question.url.pathname).toMatch(/^\/auth\/consent\//);
        const answered = await browser.submit(question, [
          ["containers", "all"],
          ["permission", "write"],
          ["expires", "7"],
          ["answer", "allow"],
        ]);
        const { body } = await app.redeem(answered.url);
        expect((await useMcp(other.url, body.access_token)).tools).toContain("add-memory");
        // The same token is not valid at the address of the other process.
        expect((await useMcp(owner.url, body.access_token)).status).toBe(401);

        await owner.stop("SIGKILL");
        const answers = async () => (await useMcp(other.url, body.access_token).catch(() => null))?.status === 200;
        await waitFor(answers, "the answer of the other process");
        const again = await app.token({ grant_type: "refresh_token", refresh_token: body.refresh_token });
        expect(again.status).toBe(200);
        expect((await useMcp(other.url, again.body.access_token)).status).toBe(200);
      } finally {
        await owner.stop();
        await other.stop();
      }
    }),
);
