/**
 * The client in a page: what test/e2e/client-browser.test.ts runs there, by name. Bundled, and served under a strict
 * Content-Security-Policy.
 */
import type { PendingInput } from "../../src/client/input-rounds.ts";
import { indexedDbStore } from "../../src/client/indexed-db-store.ts";
import { McpClient } from "../../src/client/mcp-client.ts";
import { resultCache } from "../../src/client/result-cache.ts";
import { BEHAVIOUR } from "../client/behaviour.ts";
import { STORE_CASES } from "../client/store-contract.ts";

interface PolicyViolation {
  readonly violatedDirective: string;
  readonly blockedURI: string;
}
/** What a page has beyond what the runtimes of the other tests declare. */
interface PageGlobals {
  addEventListener(type: "securitypolicyviolation", listener: (event: PolicyViolation) => void): void;
  clientPage: typeof clientPage;
  readonly localStorage: { getItem(key: string): string | null; setItem(key: string, text: string): void };
}

const globals = globalThis as unknown as PageGlobals; // See there.
const violations: string[] = [];
globals.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
  violations.push(`${violatedDirective} ${blockedURI}`);
});

const heard: string[] = [];
const commands: Readonly<Record<string, (...args: string[]) => unknown>> = {
  behaviour: (title = "", url = "") =>
    BEHAVIOUR.find((one) => one.title === title)?.run({ url, fetch: (input, init) => fetch(input, init), equal }),
  /** Each in a database of its own. */
  store: (title) => STORE_CASES.find((one) => one.title === title)?.run({ open: freshStore, equal }),
  /** Lists and reads with a cache that this origin's pages share. @returns how many requests that took */
  async useCache(url = "", principal = "") {
    let requests = 0;
    const client = new McpClient(url, {
      info: { name: "page", version: "1.0.0" },
      cache: resultCache(indexedDbStore()),
      auth: { headers: async () => ({}), challenged: async () => false, principal: () => principal },
      fetch: (input, init) => {
        requests += 1;
        return fetch(input, init);
      },
    });
    await client.listTools();
    await client.readResource("note://a");
    return requests;
  },
  /** Listens for as long as the page is there. */
  async listen(url = "") {
    const client = new McpClient(url, { info: { name: "page", version: "1.0.0" } });
    const listening = client.listen({ toolsListChanged: true }, { onEvent: ({ type }) => void heard.push(type) });
    await listening.joined();
  },
  heard: () => heard.join(),
  /** Calls a tool that asks, and leaves the question in the page's storage. */
  async ask(url = "") {
    const pending = await asking(url).callTool("ask", {}, { input: "manual" });
    globals.localStorage.setItem("pending", JSON.stringify(pending));
  },
  /** @returns what the tool says to the answer */
  async answer(url = "", name = "") {
    const pending = JSON.parse(globals.localStorage.getItem("pending") ?? "") as PendingInput; // As it was put there.
    const { content } = await asking(url).resume(pending, { who: { action: "accept", content: { name } } });
    return content.map((block) => (block.type === "text" ? block.text : "")).join();
  },
  /** For the test of the test. @returns the name of the error that code made at run time meets */
  generateCode() {
    try {
      // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- asks whether the policy is in force.
      return typeof new Function("return 1")();
    } catch (error) {
      return error instanceof Error ? error.name : "";
    }
  },
};
const clientPage = {
  violations,
  /** From a task of the page's own: what a debugger evaluates is free of the policy, up to its first `await`. */
  async run(name: string, ...args: string[]): Promise<unknown> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    return commands[name]?.(...args);
  },
};
globals.clientPage = clientPage;

function asking(url: string): McpClient {
  return new McpClient(url, { info: { name: "page", version: "1.0.0" }, capabilities: { elicitation: { form: {} } } });
}

let stores = 0;
/** Uses in quick succession get times of their own, as they do not from a real clock. */
let tick = 0;
function freshStore(name: string, limits: object = {}): ReturnType<typeof indexedDbStore> {
  return indexedDbStore({ ...limits, name: `${name} ${++stores} ${Date.now()}`, now: () => ++tick });
}

function equal(actual: unknown, expected: unknown): void {
  const [got, wanted] = [sorted(actual), sorted(expected)];
  if (got !== wanted) throw new Error(`expected ${wanted.slice(0, 500)} and got ${got.slice(0, 500)}`);
}

/** As JSON with sorted members, in which undefined is none. */
function sorted(value: unknown): string {
  const text = JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) as string | undefined; // Of undefined there is no JSON.
  return text ?? "undefined";
}
