/**
 * A server, answered from a test, that says hostile things in every place that it has a say in, and keeps a list of them.
 */
import type { Page, Route } from "playwright-core";
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";

const SCRIPT = "globalThis.pwned=1";
/** What has been tried on pages: markup, addresses, Markdown, templates, bytes that hide or turn text, names of prototypes. */
export const PAYLOADS: readonly string[] = [
  `<script>${SCRIPT}</script>`,
  `<img src=x onerror="${SCRIPT}">`,
  `"><svg onload=${SCRIPT}>`,
  `' onmouseover='${SCRIPT}' autofocus onfocus='${SCRIPT}`,
  `</textarea></title></style><iframe srcdoc="<script>parent.pwned=1</script>">`,
  `javascript:${SCRIPT}`,
  `JaVaScRiPt&colon;${SCRIPT}//`,
  `data:text/html,<script>${SCRIPT}</script>`,
  `[a](javascript:${SCRIPT}) ![b](https://evil.test/b.png) [c](data:text/html,c)`,
  `**[d](https://evil.test/"onclick="${SCRIPT})** <https://evil.test/e> \`<b>\``,
  `&lt;script&gt;${SCRIPT}&lt;/script&gt; &#x3c;b&#x3e;`,
  "{{constructor.constructor('globalThis.pwned=1')()}} ${globalThis.pwned=1} <%= 7*7 %>",
  "\u202eright to left\u202c \u2066isolated\u2069 zero\u200bwidth\u200djoined\ufefftext",
  "__proto__",
  "constructor",
  "toString",
  "../../%2e%2e/%00?a=b#c",
  "null\u0000byte \u001b[31mred",
  "half a pair \ud800 and emoji 👩‍👩‍👧",
  "שלום мир 世界 ﷽ Z̸̢͑a̵l̴g̷o̵",
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${SCRIPT}&gt;">`,
  `<form action=https://evil.test/><input type=submit autofocus><base href=https://evil.test/><meta http-equiv=refresh content="0;url=https://evil.test/">`,
  `<a href=https://evil.test/ target=_blank ping=https://evil.test/>x</a><link rel=stylesheet href=https://evil.test/s.css>`,
];
const LONG = `long <b>${"x".repeat(100_000)}`;
const META = "io.modelcontextprotocol/";
const ICONS = [
  { src: "https://evil.test/icon.png" },
  { src: `javascript:${SCRIPT}` },
  { src: `data:text/html,<script>${SCRIPT}</script>` },
  {
    src: `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" onload="${SCRIPT}"><script>${SCRIPT}</script></svg>`)}`,
  },
];

export class HostileServer {
  /** What has to be seen somewhere. The first word is the place that it was put. */
  readonly said = new Set<string>();
  /** Half a pair is in no address of the page. */
  readonly toolNames = PAYLOADS.map((payload, index) => `tool${index} ${payload.toWellFormed()}`);
  readonly promptNames = PAYLOADS.map((payload, index) => `prompt${index} ${payload.toWellFormed()}`);
  readonly uris = PAYLOADS.map(
    (payload, index) => `${index % 2 === 0 ? "x" : "javascript"}://uri${index}/${payload.toWellFormed()}`,
  );
  calls = 0;
  #listened = 0;

  async serve(page: Page, address: string): Promise<void> {
    await page.route(address, (route) => this.#answer(route));
  }

  #put(place: string, payload = ""): string {
    const text = `${place} ${payload}`;
    this.said.add(text);
    return text;
  }

  async #answer(route: Route): Promise<void> {
    const request = route.request().postDataJSON() as { id?: number; method: string; params: JsonObject };
    const { id, method, params } = request;
    if (id === undefined) return route.fulfill({ status: 202 });
    if (method === "subscriptions/listen" && this.#listened++ === 0) return route.fulfill(streamOf(this.#changes(id)));
    const answer = { jsonrpc: "2.0", id, ...this.#reply(method, params) };
    if (method !== "tools/call") return route.fulfill({ json: answer });
    this.calls++;
    return route.fulfill(streamOf([...this.#reports(this.toolNames.indexOf(String(params["name"])), params), answer]));
  }

  #reply(method: string, params: JsonObject): JsonObject {
    const list = (name: string, make: (payload: string, index: number) => JsonObject): JsonObject => {
      return { result: { resultType: "complete", [name]: PAYLOADS.map(make) } };
    };
    if (method === "server/discover") return { result: this.#discovery() };
    if (method === "tools/list") return list("tools", (payload, index) => this.#tool(payload, index));
    if (method === "resources/list") return list("resources", (payload, index) => this.#resource(payload, index));
    if (method === "resources/templates/list")
      return list("resourceTemplates", (payload, index) => this.#template(payload, index));
    if (method === "prompts/list") return list("prompts", (payload, index) => this.#prompt(payload, index));
    const index = [...this.toolNames, ...this.promptNames].indexOf(String(params["name"])) % PAYLOADS.length;
    if (method === "tools/call" && index % 5 === 4) return { error: this.#error(index) };
    if (method === "tools/call") return { result: this.#result(index) };
    if (method === "resources/read")
      return { result: { resultType: "complete", contents: this.#contents(String(params["uri"])) } };
    if (method === "prompts/get") return { result: this.#messages(index) };
    if (method === "completion/complete")
      return { result: { resultType: "complete", completion: { values: PAYLOADS } } };
    return { error: { code: -32601, message: `refused ${PAYLOADS[1]}`, data: PAYLOADS } };
  }

  #discovery(): JsonObject {
    const capabilities = {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: {},
      completions: {},
      logging: {},
      experimental: { [PAYLOADS[0] ?? ""]: {} },
    };
    const info = {
      name: `server ${PAYLOADS[1]}`,
      title: this.#put("server-title", PAYLOADS[1]),
      version: `1 ${PAYLOADS[0]}`,
      description: this.#put("server-description", PAYLOADS[2]),
      websiteUrl: `javascript:${SCRIPT}`,
      icons: ICONS,
    };
    return {
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities,
      instructions: this.#put("instructions", PAYLOADS.join("\n")),
      _meta: { [`${META}serverInfo`]: info },
    };
  }

  #tool(payload: string, index: number): JsonObject {
    const properties = Object.fromEntries([
      [
        "text",
        {
          type: "string",
          title: this.#put(`field-title${index}`, payload),
          description: this.#put(`field-description${index}`, payload),
          default: payload,
        },
      ],
      ["choice", { type: "string", enum: PAYLOADS, default: payload }],
      ["__proto__", { type: "string", title: payload }],
      [
        payload,
        {
          oneOf: [
            { const: payload, title: payload },
            { type: "object", properties: { [payload]: {} } },
          ],
        },
      ],
    ] as const);
    return {
      name: this.toolNames[index],
      title: this.#put(`tool-title${index}`, payload),
      description: this.#put(`tool-description${index}`, index === 3 ? LONG : payload),
      annotations: { title: payload, readOnlyHint: index % 2 === 0, destructiveHint: payload },
      icons: ICONS,
      inputSchema: { type: "object", properties },
      outputSchema: { type: "object", title: payload },
      _meta: { [payload]: payload },
    };
  }

  #reports(index: number, params: JsonObject): JsonObject[] {
    const meta = isObject(params["_meta"]) ? params["_meta"] : {};
    const payload = PAYLOADS[index] ?? "";
    const progress = { progressToken: meta["progressToken"], progress: 1, total: 2, message: payload };
    const log = { level: "error", logger: payload, data: this.#put(`log${index}`, payload) };
    return [
      { jsonrpc: "2.0", method: "notifications/progress", params: progress },
      { jsonrpc: "2.0", method: "notifications/message", params: log },
    ];
  }

  #error(index: number): JsonObject {
    const payload = PAYLOADS[index] ?? "";
    const data = {
      [payload]: this.#put(`error-data${index}`, payload),
      elicitations: [{ url: `javascript:${SCRIPT}` }],
    };
    return { code: [-32602, -32042, 7][index % 3], message: this.#put(`error-message${index}`, payload), data };
  }

  #result(index: number): JsonObject {
    const payload = PAYLOADS[index] ?? "";
    const structuredContent =
      index % 2 === 0
        ? [{ [payload]: this.#put(`structured${index}`, payload) }]
        : { [payload]: this.#put(`structured${index}`, payload) };
    return {
      resultType: "complete",
      content: this.#blocks(`result${index}`, payload),
      structuredContent,
      isError: index % 4 === 3,
    };
  }

  #blocks(place: string, payload: string): JsonObject[] {
    const svg = Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" onload="${SCRIPT}"><script>${SCRIPT}</script></svg>`,
    );
    const data = svg.toString("base64");
    return [
      {
        type: "text",
        text: this.#put(`${place}-text`, payload),
        annotations: { audience: [payload], priority: payload },
      },
      { type: "text", text: LONG },
      { type: "image", mimeType: "image/svg+xml", data },
      { type: "image", mimeType: 'image/png"onload="globalThis.pwned=1', data },
      { type: "image", mimeType: "text/html", data },
      {
        type: "resource_link",
        uri: payload,
        name: payload,
        title: this.#put(`${place}-link`, payload),
        description: payload,
        mimeType: payload,
        icons: ICONS,
      },
      {
        type: "resource",
        resource: { uri: `javascript:${SCRIPT}`, mimeType: "text/html", text: this.#put(`${place}-embedded`, payload) },
      },
      { type: "resource", resource: { uri: payload, mimeType: "text/html", blob: data } },
      { type: payload, text: this.#put(`${place}-unknown`, payload) },
    ];
  }

  #resource(payload: string, index: number): JsonObject {
    return {
      uri: this.uris[index],
      name: payload,
      title: this.#put(`resource-title${index}`, payload),
      description: this.#put(`resource-description${index}`, payload),
      mimeType: "text/html",
      icons: ICONS,
    };
  }

  #template(payload: string, index: number): JsonObject {
    const title = this.#put(`template-title${index}`, payload);
    return { uriTemplate: `javascript:{code}${payload}`, name: payload, title, description: payload, icons: ICONS };
  }

  #contents(uri: string): JsonObject[] {
    const index = this.uris.indexOf(uri);
    const payload = PAYLOADS[index] ?? "";
    const text = this.#put(`contents${index}`, payload);
    return [
      { uri, mimeType: "text/html", text },
      { uri, mimeType: "text/markdown", text: payload },
      { uri, mimeType: payload, text: payload },
      { uri, mimeType: "text/html", blob: btoa(`<script>${SCRIPT}</script>`) },
    ];
  }

  #prompt(payload: string, index: number): JsonObject {
    return {
      name: this.promptNames[index],
      title: this.#put(`prompt-title${index}`, payload),
      description: this.#put(`prompt-description${index}`, payload),
      arguments: index % 2 === 0 ? [] : [{ name: payload, title: payload, description: payload }],
      icons: ICONS,
    };
  }

  #messages(index: number): JsonObject {
    const payload = PAYLOADS[index] ?? "";
    const messages = this.#blocks(`prompt${index}`, payload).map((content) => ({ role: "user", content }));
    return {
      resultType: "complete",
      description: payload,
      messages: [...messages, { role: payload, content: payload }],
    };
  }

  #changes(id: number): JsonObject[] {
    const _meta = { [`${META}subscriptionId`]: id };
    const notification = (method: string, params: JsonObject): JsonObject => ({
      jsonrpc: "2.0",
      method: `notifications/${method}`,
      params: { _meta, ...params },
    });
    return [
      notification("subscriptions/acknowledged", {
        notifications: { toolsListChanged: true, resourceSubscriptions: [...PAYLOADS] },
      }),
      ...PAYLOADS.map((uri) => notification("resources/updated", { uri })),
      notification("tools/list_changed", {}),
    ];
  }
}

/** It ends after these, in order or not. */
function streamOf(messages: readonly JsonObject[]): { contentType: string; body: string } {
  const frames = messages.map((message) => `data: ${JSON.stringify(message)}\n\n`);
  return { contentType: "text/event-stream", body: frames.join("") };
}
