import { expect, test } from "vitest";
import { createGithubConnector } from "../../src/connectors/github/github.js";
import { useCleanups } from "../support/cleanups.js";
import { ONLINE } from "../support/connection.js";
import { openRest } from "../support/rest.js";
import { GITHUB_TOKEN, startGithub } from "../support/scripted-github.js";

const cleanups = useCleanups();

async function opened(metadata: Readonly<Record<string, unknown>> = {}) {
  const github = await startGithub();
  cleanups.push(() => github.close());
  github.files.set("README.md", "# The farm\n\nForty pear trees stand here.");
  github.commit();
  const connector = createGithubConnector({ apiUrl: github.url });
  const settings = { ...ONLINE, RECOLLECT_PUBLIC_URL: "https://memory.example" };
  const rest = await openRest({ asOwner: true, connectors: [connector], settings });
  cleanups.push(() => rest.close());
  github.listening = (await rest.listen()).url;
  const ok = async (method: string, path: string, body?: unknown) => {
    const answer = await rest.send(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(400);
    return answer.body;
  };
  const wanted = { containerTag: "farm", metadata: { token: GITHUB_TOKEN, ...metadata } };
  const { id } = await ok("POST", "/v3/connections/github", wanted);
  const { resources } = await ok("GET", `/v3/connections/${id}/resources`);
  await ok("POST", `/v3/connections/${id}/configure`, { resources });
  await rest.settle();
  return { github, rest, ok, id: id as string };
}

test("messages are accepted again after GitHub was unreachable when a webhook had to be removed", async () => {
  const { github, ok, rest, id } = await opened();
  expect(await github.notify()).toMatchObject([{ status: 200 }]);
  github.mayHook = false;
  await ok("POST", `/v3/connections/${id}/configure`, { isPaused: true });
  github.mayHook = true;
  expect(github.hooks.size).toBe(1);
  expect(await ok("POST", `/v3/connections/${id}/configure`, { isPaused: false })).toMatchObject({
    webhooksRegistered: 1,
  });
  await rest.settle();
  expect(await github.notify()).toMatchObject([{ status: 200 }]);
});

test("the webhook subscribes to issues once issues are imported", async () => {
  const { github, ok, rest, id } = await opened();
  await ok("POST", `/v3/connections/${id}/reconnect`, { metadata: { issues: true } });
  await rest.settle();
  expect([...github.hooks.values()].at(-1)?.events).toContain("issues");
});

test("a connection removed with its container leaves no webhook at the source", async () => {
  const { github, ok, rest, id } = await opened();
  expect(github.hooks.size).toBe(1);
  await ok("DELETE", "/v3/container-tags/farm");
  await rest.settle();
  expect((await rest.send("GET", `/v3/connections/${id}`)).status).toBe(404);
  expect(github.hooks.size).toBe(0);
});
