import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";

/** Leaves what a tool needs between two rounds with the client, sealed. */
export const requestStates = createRequestStateCodec<{ round: number; name?: string }>({
  key: "a key of the tests, at least thirty-two bytes",
});

const says = (words: string) => ({ content: [{ type: "text", text: words } as const] });
const named = z.object({ name: z.string() });
const confirmed = z.object({ ok: z.boolean() });
const askName = (message: string) => inputRequired.elicit({ message, requestedSchema: named });
const askModel = (words: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: words } }],
    maxTokens: 100,
  });

/** Tools that need input from the user, the client's model or its folders before they can answer. */
export function registerInputFixtures(server: McpServer): void {
  registerSingleQuestions(server);
  registerSealedQuestions(server);
  registerQuestionsToConnected(server);
}

function registerSingleQuestions(server: McpServer): void {
  server.registerTool("test_input_required_result_elicitation", { description: "Asks for a name." }, ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, "user_name", named);
    if (answer) return says(`Hello, ${answer.name}!`);
    return inputRequired({ inputRequests: { user_name: askName("What is your name?") } });
  });
  server.registerTool("test_input_required_result_sampling", { description: "Asks the model." }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "capital_question");
    if (answer.kind === "sampling") return says(JSON.stringify(answer.result.content));
    return inputRequired({ inputRequests: { capital_question: askModel("What is the capital of France?") } });
  });
  server.registerTool("test_input_required_result_list_roots", { description: "Asks for folders." }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "client_roots");
    if (answer.kind === "roots") return says(answer.roots.map(({ uri }) => uri).join(" "));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  server.registerTool("test_input_required_result_capabilities", { description: "Asks what it may." }, (context) => {
    const { elicitation, sampling } = declaredCapabilities(context);
    const inputRequests = {
      ...(elicitation && { user_name: askName("What is your name?") }),
      ...(sampling && { greeting: askModel("Generate a greeting") }),
    };
    return Object.keys(inputRequests).length > 0 ? inputRequired({ inputRequests }) : says("Nobody can be asked.");
  });
  server.registerTool("test_missing_capability", { description: "Asks the model, come what may." }, () =>
    inputRequired({ inputRequests: { greeting: askModel("Generate a greeting") } }),
  );
  server.registerTool("test_streaming_elicitation", { description: "Asks for a name." }, () =>
    inputRequired({ inputRequests: { user_name: askName("What is your name?") } }),
  );
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks for a context." }, ({ mcpReq }) => {
    const schema = z.object({ context: z.string() });
    const answer = acceptedContent(mcpReq.inputResponses, "user_context", schema);
    if (answer) return { messages: [{ role: "user", content: { type: "text", text: answer.context } }] };
    const question = { message: "What context should the prompt use?", requestedSchema: schema };
    return inputRequired({ inputRequests: { user_context: inputRequired.elicit(question) } });
  });
}

/** The client's capabilities, as stated in the request itself. */
function declaredCapabilities({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  return (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
}

function registerSealedQuestions(server: McpServer): void {
  const confirm = async ({ mcpReq }: ServerContext) => {
    const state = mcpReq.requestState<{ round: number }>();
    const answer = acceptedContent(mcpReq.inputResponses, "confirm", confirmed);
    if (answer && state?.round === 1) return says("state-ok");
    return inputRequired({
      inputRequests: { confirm: inputRequired.elicit({ message: "Please confirm", requestedSchema: confirmed }) },
      requestState: await requestStates.mint({ round: 1 }),
    });
  };
  server.registerTool("test_input_required_result_request_state", { description: "Asks, and knows." }, confirm);
  server.registerTool("test_input_required_result_tampered_state", { description: "Asks, and checks." }, confirm);
  server.registerTool(
    "test_input_required_result_multiple_inputs",
    { description: "Asks three things at once." },
    async ({ mcpReq }) => {
      const answers = ["user_name", "greeting", "client_roots"].map((key) => inputResponse(mcpReq.inputResponses, key));
      if (answers.every(({ kind }) => kind !== "missing")) return says("All three are answered.");
      return inputRequired({
        inputRequests: {
          user_name: askName("What is your name?"),
          greeting: askModel("Generate a greeting"),
          client_roots: inputRequired.listRoots(),
        },
        requestState: await requestStates.mint({ round: 1 }),
      });
    },
  );
  server.registerTool(
    "test_input_required_result_multi_round",
    { description: "Asks twice." },
    async ({ mcpReq: { inputResponses, requestState } }) => {
      const state = requestState<{ round: number; name?: string }>();
      const first = acceptedContent(inputResponses, "step1", named);
      const second = acceptedContent(inputResponses, "step2", z.object({ color: z.string() }));
      if (state?.round === 2 && second) return says(`${state.name} likes ${second.color}.`);
      if (state?.round !== 1 || !first)
        return inputRequired({
          inputRequests: { step1: askName("Step 1: What is your name?") },
          requestState: await requestStates.mint({ round: 1 }),
        });
      const requestedSchema = z.object({ color: z.string() });
      return inputRequired({
        inputRequests: {
          step2: inputRequired.elicit({ message: "Step 2: What is your favorite color?", requestedSchema }),
        },
        requestState: await requestStates.mint({ round: 2, name: first.name }),
      });
    },
  );
}

const OPTIONS = ["option1", "option2", "option3"];
const titled = (kind: string) =>
  ["First", "Second", "Third"].map((title, index) => ({ const: `value${index + 1}`, title: `${title} ${kind}` }));

/** These ask during a call, which requires a lasting connection. */
function registerQuestionsToConnected(server: McpServer): void {
  type Asked = Parameters<ServerContext["mcpReq"]["elicitInput"]>[0];
  const ask = async ({ mcpReq }: ServerContext, question: Asked) => {
    const { action, content = {} } = await mcpReq.elicitInput(question);
    return says(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
  };
  server.registerTool(
    "test_sampling",
    { description: "Asks the model.", inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      if (!server.server.getClientCapabilities()?.sampling)
        throw new Error("This client is not known to have a model.");
      const { content } = await mcpReq.requestSampling({
        messages: [{ role: "user", content: { type: "text", text: prompt } }],
        maxTokens: 100,
      });
      return says(`LLM response: ${JSON.stringify(content)}`);
    },
  );
  server.registerTool(
    "test_elicitation",
    { description: "Asks the user.", inputSchema: z.object({ message: z.string() }) },
    ({ message }, context) =>
      ask(context, {
        message,
        requestedSchema: {
          type: "object",
          properties: {
            username: { type: "string", description: "User's response" },
            email: { type: "string", description: "User's email address" },
          },
          required: ["username", "email"],
        },
      }),
  );
  server.registerTool("test_elicitation_sep1034_defaults", { description: "Asks with proposals." }, (context) =>
    ask(context, {
      message: "Who are you?",
      requestedSchema: {
        type: "object",
        properties: {
          name: { type: "string", default: "John Doe" },
          age: { type: "integer", default: 30 },
          score: { type: "number", default: 95.5 },
          status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", default: true },
        },
      },
    }),
  );
  server.registerTool("test_elicitation_sep1330_enums", { description: "Asks for choices." }, (context) =>
    ask(context, {
      message: "What do you choose?",
      requestedSchema: {
        type: "object",
        properties: {
          untitledSingle: { type: "string", enum: OPTIONS },
          titledSingle: { type: "string", oneOf: titled("Option") },
          legacyEnum: {
            type: "string",
            enum: ["opt1", "opt2", "opt3"],
            enumNames: ["Option One", "Option Two", "Option Three"],
          },
          untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
          titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
        },
      },
    }),
  );
}
