import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLUSTER_KEY, type NodeCluster, startNodeCluster } from "../support/node-cluster.js";
import { findPostgres } from "../support/postgres.js";

const programs = findPostgres();
const LIMIT = 20;
const WITHIN_MS = 60_000;

if (programs === undefined)
  describe("limits across all nodes", () =>
    test.skip("left out: PostgreSQL is not installed on this machine", () => undefined));
else
  describe("limits across all nodes", () => {
    let cluster: NodeCluster;
    beforeAll(async () => {
      const limits = { RECOLLECT_RATE_LIMIT: String(LIMIT), RECOLLECT_RATE_WINDOW_SECONDS: "3600" };
      cluster = await startNodeCluster(programs, 3, limits);
    }, WITHIN_MS);
    afterAll(() => cluster.stop(), WITHIN_MS);

    const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => work(index)));
    /** One call after the other at each node: when the database is slow, nodes pause using it and count for themselves. */
    const inTurn = async <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> => {
      const { length } = cluster.nodes;
      const done = await times(length, async (node) => {
        const own: T[] = [];
        for (let index = node; index < count; index += length) own.push(await work(index));
        return own;
      });
      return done.flat();
    };
    /** At each node in turn. */
    const urlOf = (index: number): string => cluster.nodes[index % cluster.nodes.length]?.url ?? "";

    test("a key has one rate limit for all nodes, and each answer states what is left", async () => {
      const call = (index: number) =>
        fetch(`${urlOf(index)}/v3/documents/list`, {
          method: "POST",
          headers: { authorization: `Bearer ${CLUSTER_KEY}`, "content-type": "application/json" },
          body: "{}",
        });
      const answers = await inTurn(3 * LIMIT, call);
      const allowed = answers.filter(({ status }) => status === 200);
      expect(allowed).toHaveLength(LIMIT);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(2 * LIMIT);
      const left = allowed.map(({ headers }) => Number(headers.get("x-ratelimit-remaining")));
      expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: LIMIT }, (_, index) => index));
    });

    test("a caller who guesses keys gets no further attempts at another node", async () => {
      const statuses = await inTurn(33, async (index) => {
        const page = await fetch(`${urlOf(index)}/auth/sign-in`);
        const cookie = (page.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
        const hidden = [...(await page.text()).matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
        const form = hidden.map(([, name = "", value = ""]): [string, string] => [name, value]);
        const answer = await fetch(`${urlOf(index)}/auth/sign-in`, {
          method: "POST",
          headers: { cookie, origin: urlOf(index) },
          body: new URLSearchParams([...form, ["secret", "sm_wrong_0123456789abcdefghijklmn"]]),
          redirect: "manual",
        });
        return answer.status;
      });
      expect(statuses.toSorted((a, b) => a - b)).toEqual([
        ...Array<number>(10).fill(401),
        ...Array<number>(23).fill(429),
      ]);
    });
  });
