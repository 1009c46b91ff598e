import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ENDPOINTS } from "../../src/transports/rest/app.js";
import { pathsOf } from "../../src/transports/rest/mount.js";
import type { Subject } from "./access-world.js";
import { isChanging, PROMPTS, RESOURCES, ROUTES, TOOLS } from "./access-table.js";
import { encodeForm } from "./forms.js";
import type { IsolationKey } from "./isolation-model.js";
import { askingForAll, type Components, holdingOf, type Place, placesIn, put, without } from "./isolation-places.js";
import type { IsolationWorld } from "./isolation-world.js";
import { connectionOf, createClient, type McpConnection } from "./mcp-client.js";
import type { JsonSchema } from "./schema-arbitrary.js";

/** The complete response. */
export interface Told {
  readonly status: string;
  readonly body: string;
  /** Including headers. */
  readonly all: string;
}

/** An id for a place in a request; without it, the request is as sent by its own users. */
export interface Placed {
  readonly place: Place | null;
  readonly id: string;
  /** True: the request names no container, if it can do without. */
  readonly isUnplaced: boolean;
}

/** A route, tool, resource or prompt. */
export interface Door {
  readonly name: string;
  readonly isChanging: boolean;
  /** True for an alias of an entry that is tested in full. */
  readonly isAlias: boolean;
  readonly places: readonly Place[];
  /** Whether a request may omit the container. */
  readonly mayBeUnplaced: boolean;
  ask(key: IsolationKey, placed: Placed): Promise<Told>;
}

export interface Doors {
  readonly doors: readonly Door[];
  /** Values that the generator does not know. */
  readonly unknown: readonly string[];
  close(): Promise<void>;
}

const NO_SCHEMA: JsonSchema = {};

/** Everything that a caller may request from the service, generated from its descriptions. */
export async function openDoors(world: IsolationWorld): Promise<Doors> {
  const unknown: string[] = [];
  const note = (what: string) => void (unknown.includes(what) || unknown.push(what));
  const clients = new Clients(world.url);
  const described = await (await fetch(`${world.url}/v3/openapi`)).json();
  const routes = routeDoors(world, described, note);
  const tools = await mcpDoors(world, clients, note);
  return { doors: [...routes, ...tools], unknown, close: () => clients.close() };
}

/** The targets of a request besides the inserted id; new ones if the request is to do its work. */
function subjectOf({ own, fresh }: IsolationWorld, { writes }: IsolationKey, place: Place | null): Subject {
  return place || writes.length === 0 ? own : fresh;
}

function routeDoors(world: IsolationWorld, described: any, note: (what: string) => void): Door[] {
  const components: Components = described.components.schemas;
  return ENDPOINTS.flatMap((endpoint): Door[] => {
    const method = endpoint.method.toUpperCase();
    const name = `${method} ${endpoint.path}`;
    const access = ROUTES[name];
    const operation = described.paths[endpoint.path]?.[endpoint.method];
    if (!access) note(`${name} is not in access-table.ts`);
    if (!operation) note(`${name} is not described`);
    if (!access || !operation) return [];
    const [[, content] = ["", undefined]] = Object.entries<any>(operation.requestBody?.content ?? {});
    const schema: JsonSchema = content?.schema ?? NO_SCHEMA;
    const parameters: { name: string; in: string; schema: JsonSchema }[] = operation.parameters ?? [];
    const places = [
      ...parameters.flatMap((parameter): Place[] => {
        if (parameter.in !== "path" && parameter.in !== "query") return [];
        const holds = holdingOf(name, parameter.name);
        if (!holds) note(`${name}: ${parameter.name}`);
        return holds && holds !== "words" ? [{ in: parameter.in, steps: [parameter.name], holds }] : [];
      }),
      ...placesIn(name, schema, components, note).map((place): Place => ({ in: "body", ...place })),
    ];
    const at = { schema, components };
    return pathsOf(endpoint).map((path): Door => ({
      name: `${method} ${path}`,
      isChanging: isChanging(access),
      isAlias: path !== endpoint.path,
      places,
      mayBeUnplaced: places.some(({ holds, in: where }) => holds === "container" && where !== "path"),
      async ask(key, { place, id, isUnplaced }) {
        const sent = await access.request(subjectOf(world, key, place));
        const isBody = place?.in === "body";
        const narrow = (value: unknown) => {
          const [except] = isBody ? place.steps : [];
          const alone = isBody && place.holds === "id" ? without(name, value, at, { holds: "id", except }) : value;
          return isUnplaced ? without(name, alone, at, { holds: "container", except }) : alone;
        };
        const fields = narrow(sent.form ?? sent.body ?? (isBody ? {} : undefined));
        const all = isChanging(access) ? fields : askingForAll(fields, at);
        const body = isBody ? put(all, at, place.steps, id) : all;
        const values = { ...sent.path, ...(place?.in === "path" && { [place.steps[0] ?? ""]: id }) };
        const where = path.replace(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(values[part] ?? ""));
        const query = new URLSearchParams(isUnplaced ? "" : sent.query);
        for (const { name: parameter, in: where } of parameters)
          if (where === "query" && parameter === "limit" && !isUnplaced) query.set(parameter, "100");
          else if (where === "query" && parameter.startsWith("include")) query.set(parameter, "true");
        if (place?.in === "query") query.set(place.steps[0] ?? "", id);
        return send(`${world.url}${where}?${query.toString()}`, method, key.headers, {
          body,
          isForm: sent.form !== undefined,
        });
      },
    }));
  });
}

async function send(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  { body, isForm }: { readonly body: unknown; readonly isForm: boolean },
): Promise<Told> {
  const form = isForm ? await encodeForm({ ...textsOf(body), file: new File(["Mia keeps bees."], "a.txt") }) : null;
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await fetch(url, {
    method,
    redirect: "manual",
    headers: { ...headers, ...(form?.headers ?? type) },
    ...(body !== undefined && { body: form ? Buffer.from(form.bytes) : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: String(answer.status), body: text, all: `${JSON.stringify([...answer.headers])}\n${text}` };
}

function textsOf(fields: unknown): Record<string, string> {
  const entries = Object.entries(fields ?? {}).filter(([name]) => name !== "file");
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}

/** An MCP client per key, opened when needed. */
class Clients {
  readonly #open = new Map<string, Promise<McpConnection>>();

  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  of({ name, headers }: IsolationKey): Promise<McpConnection> {
    const known = this.#open.get(name);
    if (known) return known;
    const connecting = this.#connect(headers);
    this.#open.set(name, connecting);
    return connecting;
  }

  async #connect(headers: Readonly<Record<string, string>>): Promise<McpConnection> {
    const client = createClient("v2 auto");
    const transport = new StreamableHTTPClientTransport(new URL(`${this.#url}/mcp?tools=all`), {
      requestInit: { headers },
    });
    await (client as { connect(to: unknown): Promise<void> }).connect(transport);
    return connectionOf(client);
  }

  async close(): Promise<void> {
    for (const connecting of this.#open.values()) await (await connecting.catch(() => null))?.close();
  }
}

/** The tools, resources and prompts that the service shows to a client. */
async function mcpDoors(world: IsolationWorld, clients: Clients, note: (what: string) => void): Promise<Door[]> {
  const shown = await clients.of(world.bystander);
  const told = (work: Promise<unknown>): Promise<Told> =>
    work.then(
      (answer) => ({ status: "answered", body: JSON.stringify(answer), all: JSON.stringify(answer) }),
      (error: Error) => ({ status: "refused", body: error.message, all: error.message }),
    );
  const tools = (await shown.listTools()).flatMap(({ name, inputSchema }): Door[] => {
    const access = TOOLS[name];
    if (!access) note(`the tool ${name} is not in access-table.ts`);
    if (!access) return [];
    const at = { schema: inputSchema as JsonSchema, components: {} };
    const places = placesIn(name, at.schema, {}, note).map((place): Place => ({ in: "body", ...place }));
    return [
      {
        name: `tool ${name}`,
        isChanging: isChanging(access),
        isAlias: false,
        places,
        mayBeUnplaced: places.some(({ holds }) => holds === "container"),
        async ask(key, { place, id, isUnplaced }) {
          const [except] = place?.steps ?? [];
          const base = await access.args(subjectOf(world, key, place));
          const alone = place?.holds === "id" ? without(name, base, at, { holds: "id", except }) : base;
          const args = isUnplaced ? without(name, alone, at, { holds: "container", except }) : alone;
          const all = isChanging(access) ? args : askingForAll(args, at);
          const sent = place ? put(all, at, place.steps, id) : all;
          return told(clients.of(key).then((client) => client.call(name, sent as Record<string, unknown>)));
        },
      },
    ];
  });
  const { resources } = await shown.client.listResources();
  const { resourceTemplates } = await shown.client.listResourceTemplates();
  const addresses = [...resources.map(({ uri }) => uri), ...resourceTemplates.map(({ uriTemplate }) => uriTemplate)];
  const read = addresses.flatMap((address): Door[] => {
    if (!RESOURCES[address] && !/^memory:\/\/(?:profile|memories|documents)\//.test(address))
      note(`the resource ${address} is not in access-table.ts`);
    const places = [...address.matchAll(/\{(\w+)\}/g)].flatMap(([, name = ""]): Place[] => {
      const holds = holdingOf(address, name);
      if (!holds || holds === "words") note(`${address}: ${name}`);
      return holds && holds !== "words" ? [{ in: "path", steps: [name], holds }] : [];
    });
    const fill = (id: string) => address.replace(/\{\w+\}/g, encodeURIComponent(id));
    return [
      {
        name: `resource ${address}`,
        isChanging: false,
        isAlias: false,
        places,
        mayBeUnplaced: false,
        ask: (key, { place, id }) =>
          told(clients.of(key).then(({ client }) => client.readResource({ uri: fill(place ? id : world.own.tag) }))),
      },
    ];
  });
  const { prompts } = await shown.client.listPrompts();
  const asked = prompts.flatMap(({ name, arguments: parameters = [] }): Door[] => {
    const access = PROMPTS[name];
    if (!access) note(`the prompt ${name} is not in access-table.ts`);
    if (!access) return [];
    const places = parameters.flatMap((parameter): Place[] => {
      const holds = holdingOf(name, parameter.name);
      if (!holds) note(`prompt ${name}: ${parameter.name}`);
      return holds && holds !== "words" ? [{ in: "body", steps: [parameter.name], holds }] : [];
    });
    return [
      {
        name: `prompt ${name}`,
        isChanging: false,
        isAlias: false,
        places,
        mayBeUnplaced: true,
        async ask(key, { place, id, isUnplaced }) {
          const { arguments: base } = (await access.args(world.own)) as { arguments: Record<string, string> };
          const args = isUnplaced
            ? without(name, base, { schema: {}, components: {} }, { holds: "container", except: undefined })
            : base;
          const sent = { ...(args as Record<string, string>), ...(place && { [place.steps[0] ?? ""]: id }) };
          return told(clients.of(key).then(({ client }) => client.getPrompt({ name, arguments: sent })));
        },
      },
    ];
  });
  return [...tools, ...read, ...asked];
}
